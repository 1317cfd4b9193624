import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Experiment, Protocol } from '../../contract/experiment/schema.ts';
import type { Conditions, Level } from '../../contract/trial.ts';

/**
 * Draws what is measured in every block. Within a level the variants follow one another, since what is compared should be
 * measured close together. If the order is `random`, the order of the levels is also drawn, anew for each block, unless they
 * are to rise.
 *
 * @returns for each block its positions in order; for each position the conditions that are measured at the same time: one,
 *   or with `together` one for each variant
 */
export function drawBlocks(
  variants: readonly string[],
  levels: readonly Level[],
  protocol: Pick<Protocol, 'blocks' | 'order' | 'seed'>,
  { order: levelOrder }: Pick<Experiment['ladder'], 'order'> = { order: 'random' },
): Conditions[][][] {
  const orders = levels.map((level, index) => ({
    level,
    blocks: drawOrders(variants, { ...protocol, seed: seedOf(protocol.seed, index) }),
  }));
  const random = xoroshiro128plus(seedOf(protocol.seed, levels.length));
  return Array.from({ length: protocol.blocks }, (_, block) =>
    (protocol.order === 'random' && levelOrder === 'random' && levels.length > 1
      ? shuffle(orders, random)
      : orders
    ).flatMap(({ level, blocks }) =>
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
 * `random` draws the order of every block by itself, each order as likely as any other (a randomized complete block design:
 * Fisher 1935; Cox & Reid, "The Theory of the Design of Experiments", 2000, 2.3). Under "no difference", exchanging two
 * variants in a block changes the sign of their difference and nothing else. So the signs of the blocks are independent fair
 * coins whatever drifts, returns or stalls, for every pair of variants: that is what the exact interval assumes.
 *
 * Balanced orders do not give this. Six blocks of two variants, three of either order, can come in 20 ways, and no interval
 * of 95 % exists; three variants in Williams squares can be exchanged once a square, which takes 36 blocks for six coins.
 * Balance would help only against an effect of the position, which widens the interval and cannot make it wrong.
 */
export function drawOrders(
  variants: readonly string[],
  { blocks, order, seed }: Pick<Protocol, 'blocks' | 'order' | 'seed'>,
): string[][][] {
  const random = xoroshiro128plus(seed);
  const drawBlock = (): string[][] => {
    switch (order) {
      case 'random':
        return shuffle(variants, random).map((variant) => [variant]);
      case 'fixed':
        return variants.map((variant) => [variant]);
      case 'together':
        return [[...variants]];
    }
  };
  return Array.from({ length: blocks }, drawBlock);
}

/** Shuffles as Fisher and Yates do; returns a new array. */
function shuffle<T>(items: readonly T[], random: RandomGenerator): T[] {
  const left = [...items];
  return items.map(() => left.splice(uniformInt(random, 0, left.length - 1), 1)[0] as T);
}
