import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Protocol } from '../../contract/experiment/schema.ts';
import type { Conditions, Level } from '../../contract/trial.ts';

/**
 * For every block, what is measured at which position: a list of positions, each a list of conditions measured at the same
 * time (one, but for `together`).
 *
 * Levels come in an order of their own in each block, drawn by chance where the variants' is; at each level the variants follow
 * one another, since what is compared should be measured close together.
 */
export function drawBlocks(
  variants: readonly string[],
  levels: readonly Level[],
  protocol: Pick<Protocol, 'blocks' | 'order' | 'seed'>,
): Conditions[][][] {
  const orders = levels.map((level, index) => ({
    level,
    blocks: drawOrders(variants, { ...protocol, seed: seedOf(protocol.seed, index) }),
  }));
  const random = xoroshiro128plus(seedOf(protocol.seed, levels.length));
  return Array.from({ length: protocol.blocks }, (_, block) =>
    (protocol.order === 'random' && levels.length > 1 ? shuffle(orders, random) : orders).flatMap(({ level, blocks }) =>
      (blocks[block] ?? []).map((together) => together.map((variant): Conditions => ({ ...level, variant }))),
    ),
  );
}

/** The first level takes the seed itself, further ones seeds that are far from those that a user would try next. */
function seedOf(seed: number, level: number): number {
  return (seed + level * 0x9e3779b9) >>> 0;
}

/**
 * Which variants are measured at which position of every block, at one level.
 *
 * `random` draws Latin squares, so that over the experiment every variant stands at every position equally often and neither
 * drift within a block nor the place in it favours one; a last, incomplete square takes as many of its rows as are left. The
 * blocks of all squares are then put into random order. Left square by square, each second block of two variants would
 * mirror the one before it, and trials that resemble their neighbours would make the blocks agree by themselves: simulated,
 * that made the intervals of one in 16 A/A experiments of ten blocks exclude zero instead of one in 19.
 */
export function drawOrders(
  variants: readonly string[],
  { blocks, order, seed }: Pick<Protocol, 'blocks' | 'order' | 'seed'>,
): string[][][] {
  if (order === 'together') return Array.from({ length: blocks }, () => [[...variants]]);
  if (order === 'fixed') return Array.from({ length: blocks }, () => variants.map((variant) => [variant]));
  const random = xoroshiro128plus(seed);
  const rows: string[][] = [];
  while (rows.length < blocks) rows.push(...latinSquare(variants, random));
  return shuffle(rows.slice(0, blocks), random).map((row) => row.map((variant) => [variant]));
}

/** The rotations of a random order, in random order. */
function latinSquare(items: readonly string[], random: RandomGenerator): string[][] {
  const first = shuffle(items, random);
  const rotations = first.map((_, by) => [...first.slice(by), ...first.slice(0, by)]);
  return shuffle(rotations, random);
}

/** Fisher and Yates. */
function shuffle<T>(items: readonly T[], random: RandomGenerator): T[] {
  const left = [...items];
  return items.map(() => left.splice(uniformInt(random, 0, left.length - 1), 1)[0] as T);
}
