import { createHash } from 'node:crypto';
import type { MeasureStep } from '../../contract/plan.ts';
import type { Experiment, Protocol } from '../../contract/experiment/schema.ts';
import { minPairs } from '../../statistics/exact-interval.ts';
import type { Conditions, Level } from '../../contract/trial.ts';

/**
 * What one draw is for: every part that distinguishes it from the other draws of a plan, such as `{ of: 'order', block:
 * 3, clients: 16 }`. The order of the parts does not matter.
 */
export type Purpose = Readonly<Record<string, string | number>> & { readonly of: string };

/**
 * The randomness of a plan is a hash of its seed and of what is drawn. So every draw has a coin of its own, which no
 * other draw affects. A generator that is seeded once for each level does not provide this: its first output is close
 * to its seed, so streams with neighbouring seeds begin alike.
 *
 * @returns an integer from 0 to 2^32 − 1
 */
export function drawBits(seed: number, purpose: Purpose): number {
  return hash(seed, purpose).readUInt32BE(0);
}

/** A number from 0 to 1, without 1; each of 2^48 values is as likely as any other. */
export function drawShare(seed: number, purpose: Purpose): number {
  return hash(seed, purpose).readUIntBE(0, 6) / 2 ** 48;
}

/** The items in random order, each order as likely as any other (Fisher and Yates). Returns a new array. */
export function drawOrder<T>(items: readonly T[], seed: number, purpose: Purpose): T[] {
  const left = [...items];
  return items.map((_, draw) => {
    const index = left.length === 1 ? 0 : Math.floor(left.length * drawShare(seed, { ...purpose, draw }));
    return left.splice(index, 1)[0] as T;
  });
}

/** SHA-256 of an encoding that is the same for the same parts, and different for any others. */
function hash(seed: number, purpose: Purpose): Buffer {
  const parts = Object.entries(purpose).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([seed, ...parts]))
    .digest();
}

/**
 * Seed of everything that the tool draws for one load: rows, scripts, and with an offered rate the moments of arrival.
 * All trials of a block share one seed ("common random numbers": Law & Kelton, "Simulation Modeling and Analysis",
 * 11.2). So its variants get the same transactions at the same times, and chance makes no difference between them.
 * Every block, and every repeat of one, has its own seed.
 *
 * @param seed the experiment's
 * @param load a warm-up must not touch the very rows that are measured afterwards
 * @returns an integer from 0 to 2^32 − 1
 */
export function loadSeed(
  seed: number,
  { block, attempt }: Pick<MeasureStep, 'block' | 'attempt'>,
  load: 'warm-up' | 'measure',
): number {
  return drawBits(seed, { of: load, block, attempt });
}

/**
 * Seconds by which the warm-up of each block is longer (`protocol.phaseSeconds`), for every block of a plan. A reset
 * starts the checkpoint cycle anew, so trials with warm-ups of equal length would all cover the same phase of it.
 *
 * Each length is uniform from 0 to just below `phaseSeconds`. Of every six blocks, the fewest for a verdict, each has
 * its own sixth of that range, in random order (a stratified draw: Cochran, "Sampling Techniques", 1977, 5.1). So even
 * the shortest run covers the cycle. Lengths are whole seconds, because pgbench accepts nothing else.
 */
export function drawPhases({
  blocks,
  phaseSeconds,
  seed,
}: Pick<Protocol, 'blocks' | 'phaseSeconds' | 'seed'>): number[] {
  return Array.from({ length: blocks }, (_, index) => {
    const group = Math.floor(index / minPairs);
    const size = Math.min(minPairs, blocks - group * minPairs);
    const strata = drawOrder([...Array(size).keys()], seed, { of: 'phase-strata', group });
    const stratum = strata[index % minPairs] ?? 0;
    const share = (stratum + drawShare(seed, { of: 'phase', block: index + 1 })) / size;
    return Math.floor(share * phaseSeconds);
  });
}

type Drawn = Pick<Protocol, 'blocks' | 'order' | 'seed'>;

/** Which blocks of a plan are drawn. By default they begin with the first. */
interface Where {
  firstBlock?: number;
  /** Of a crossover. */
  period?: number | undefined;
}

/**
 * Draws what is measured in every block. Within a level the variants follow one another, since what is compared should
 * be measured close together. If the order is `random`, the order of the levels is also drawn, anew for each block,
 * unless they are to rise.
 *
 * @param variantsAt returns the variants that are measured at a level
 * @returns for each block its positions in order; for each position the conditions that are measured at the same time:
 *   one, or with `together` one for each variant
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
 * `random` draws the order of every block by itself, each order as likely as any other (a randomized complete block
 * design: Fisher 1935; Cox & Reid, "The Theory of the Design of Experiments", 2000, 2.3). Every block has a coin of its
 * own at every level, on every pair of instances and in every period (`drawBits`). Under "no difference", exchanging
 * two variants in a block changes the sign of their difference and nothing else. So the signs of the blocks are
 * independent fair coins whatever drifts, returns or stalls, for every pair of variants: that is what the exact
 * interval assumes.
 *
 * Balanced orders do not have this property. Six blocks of two variants, three of either order, can come in 20 ways,
 * and no interval of 95% exists; three variants in Williams squares can be exchanged once a square, which takes 36
 * blocks for six coins. Balance would help only against an effect of the position, which widens the interval and cannot
 * make it wrong.
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

/** An axis may have any name, even one of ours. */
function partsOf(level: Level): Record<string, string | number> {
  return Object.fromEntries(Object.entries(level).map(([axis, value]) => [`at ${axis}`, value]));
}
