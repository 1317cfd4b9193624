import type { Experiment, Protocol } from '../../contract/experiment/schema.ts';
import type { Conditions, Level } from '../../contract/trial.ts';
import { drawOrder } from './coin.ts';

type Drawn = Pick<Protocol, 'blocks' | 'order' | 'seed'>;

/** Which blocks of a plan are drawn. By default they begin with the first. */
interface Where {
  firstBlock?: number;
  /** Of a crossover. */
  period?: number | undefined;
}

/**
 * Draws what is measured in every block. Within a level the variants follow one another, since what is compared should be
 * measured close together. If the order is `random`, the order of the levels is also drawn, anew for each block, unless they
 * are to rise.
 *
 * @param variantsAt gives the variants that are measured at a level
 * @returns for each block its positions in order; for each position the conditions that are measured at the same time: one,
 *   or with `together` one for each variant
 */
export function drawBlocks(
  variantsAt: (level: Level) => readonly string[],
  levels: readonly Level[],
  protocol: Drawn,
  { order: levelOrder }: Pick<Experiment['ladder'], 'order'> = { order: 'random' },
  where: Where = {},
): Conditions[][][] {
  const orders = levels.map((level) => ({
    level,
    blocks: drawOrders(variantsAt(level), protocol, { ...where, level }),
  }));
  return Array.from({ length: protocol.blocks }, (_, index) =>
    (protocol.order === 'random' && levelOrder === 'random'
      ? drawOrder(orders, protocol.seed, { of: 'levels', ...placeOf(index, where) })
      : orders
    ).flatMap(({ level, blocks }) =>
      (blocks[index] ?? []).map((together) => together.map((variant): Conditions => ({ ...level, variant }))),
    ),
  );
}

/**
 * Draws which variants are measured at which position of every block, at one level.
 *
 * `random` draws the order of every block by itself, each order as likely as any other (a randomized complete block design:
 * Fisher 1935; Cox & Reid, "The Theory of the Design of Experiments", 2000, 2.3). Every block has a coin of its own at every
 * level, on every pair of instances and in every period (coin.ts). Under "no difference", exchanging two variants in a block
 * changes the sign of their difference and nothing else. So the signs of the blocks are independent fair coins whatever
 * drifts, returns or stalls, for every pair of variants: that is what the exact interval assumes.
 *
 * Balanced orders do not give this. Six blocks of two variants, three of either order, can come in 20 ways, and no interval
 * of 95 % exists; three variants in Williams squares can be exchanged once a square, which takes 36 blocks for six coins.
 * Balance would help only against an effect of the position, which widens the interval and cannot make it wrong.
 */
export function drawOrders(
  variants: readonly string[],
  { blocks, order, seed }: Drawn,
  { level = {}, ...where }: Where & { level?: Level } = {},
): string[][][] {
  const drawBlock = (index: number): string[][] => {
    switch (order) {
      case 'random':
        return drawOrder(variants, seed, { ...placeOf(index, where), ...partsOf(level), of: 'variants' }).map(
          (variant) => [variant],
        );
      case 'fixed':
        return variants.map((variant) => [variant]);
      case 'together':
        return [[...variants]];
    }
  };
  return Array.from({ length: blocks }, (_, index) => drawBlock(index));
}

function placeOf(index: number, { firstBlock = 1, period }: Where): Record<string, number> {
  return { block: firstBlock + index, ...(period === undefined ? {} : { period }) };
}

/** An axis may have any name, also one of ours. */
function partsOf(level: Level): Record<string, string | number> {
  return Object.fromEntries(Object.entries(level).map(([axis, value]) => [`at ${axis}`, value]));
}
