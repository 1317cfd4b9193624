import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Protocol } from '../../contract/experiment/schema.ts';
import type { Conditions, Level } from '../../contract/trial.ts';

/**
 * Draws what is measured in every block. Within a level the variants follow one another, since what is compared should be
 * measured close together. If the order is `random`, the order of the levels is also drawn, anew for each block.
 *
 * @returns for each block its positions in order; for each position the conditions that are measured at the same time: one,
 *   or with `together` one for each variant
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

/** The first level gets the seed itself. Further levels get seeds that are far from those that a user would try next. */
function seedOf(seed: number, level: number): number {
  return (seed + level * 0x9e3779b9) >>> 0;
}

/**
 * Draws which variants are measured at which position of every block, at one level.
 *
 * `random` draws Latin squares: over the experiment, every variant stands at every position equally often. So neither drift
 * within a block nor the position favours a variant. If the last square does not fit, only some of its rows are used. The
 * blocks of all squares are then put into random order. Without this, every second block of two variants would mirror the
 * block before it, and since neighbouring trials resemble each other, the blocks would agree too well. In simulations of
 * A/A experiments of ten blocks, one interval in 16 excluded zero without it, and one in 19 with it.
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

/** Rotations of a random order, themselves in random order. */
function latinSquare(items: readonly string[], random: RandomGenerator): string[][] {
  const first = shuffle(items, random);
  const rotations = first.map((_, by) => [...first.slice(by), ...first.slice(0, by)]);
  return shuffle(rotations, random);
}

/** Shuffles as Fisher and Yates do; returns a new array. */
function shuffle<T>(items: readonly T[], random: RandomGenerator): T[] {
  const left = [...items];
  return items.map(() => left.splice(uniformInt(random, 0, left.length - 1), 1)[0] as T);
}
