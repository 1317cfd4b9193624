import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { minPairs, type Interval } from './exact-interval.ts';
import { hodgesLehmann, signedRankInterval } from './signed-rank.ts';
import { quantile } from './summaries.ts';

/** Values of one block, such as throughput, by the index of the level; null if nothing was measured there. */
export type LadderBlock = readonly (number | null)[];

export interface FoundKnee {
  /** Index of the lowest level within the tolerance of the best. */
  knee: number;
  /** Index of the best level. */
  best: number;
}

/**
 * The knee of a ladder: the lowest level whose throughput lies within `tolerance` of the best. The value of a level is
 * the Hodges-Lehmann estimate of its blocks on the log scale.
 *
 * @param blocks values above zero; levels in ascending order
 * @param tolerance such as 0.05
 * @returns null if fewer than two levels have values
 */
export function findKnee(blocks: readonly LadderBlock[], tolerance: number): FoundKnee | null {
  const centres = levelCentres(blocks).map((centre) => centre ?? -Infinity);
  if (centres.filter(Number.isFinite).length < 2) return null;
  const max = Math.max(...centres);
  return {
    knee: centres.findIndex((centre) => centre >= max + Math.log1p(-tolerance)),
    best: centres.indexOf(max),
  };
}

/**
 * Smallest and largest index that the knee may have, from resampled blocks. Blocks are drawn whole, since the trials of
 * a block share the state of the machine.
 *
 * @returns null if there are too few blocks
 */
export function kneeInterval(
  blocks: readonly LadderBlock[],
  { tolerance, level }: { tolerance: number; level: number },
): Interval | null {
  const drawn = resampledInterval(blocks, (some) => findKnee(some, tolerance)?.knee ?? null, level);
  // An end that falls between two levels is moved outwards.
  return drawn && { ...drawn, low: Math.floor(drawn.low), high: Math.ceil(drawn.high) };
}

/** Logarithms of the estimates of all levels; null for a level at which no block has a value. */
export function levelCentres(blocks: readonly LadderBlock[]): (number | null)[] {
  const levels = Math.max(0, ...blocks.map(({ length }) => length));
  return Array.from({ length: levels }, (_, index) =>
    hodgesLehmann(blocks.flatMap((block) => (block[index] ? [Math.log(block[index])] : []))),
  );
}

const draws = 2000;
/** Not the seed of the experiment: the same blocks lead to the same interval, whatever order was drawn. */
const seed = 11;

/**
 * Percentile interval of a statistic for which no exact one is known (Efron & Tibshirani 1993, "An Introduction to the
 * Bootstrap", 13.3): blocks are drawn with replacement, as many as there are, again and again. Its level is
 * approximate, and a little too high with few blocks. Assumes that blocks are independent and have the same
 * distribution.
 *
 * @param statistic its value for some blocks; null if they have none
 * @param level such as 0.95
 * @returns null if there are too few blocks
 */
function resampledInterval<Block>(
  blocks: readonly Block[],
  statistic: (some: readonly Block[]) => number | null,
  level: number,
): Interval | null {
  if (blocks.length < minPairs) return null;
  const random = xoroshiro128plus(seed);
  const found: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const value = statistic(blocks.map(() => blocks[uniformInt(random, 0, blocks.length - 1)] as Block));
    if (value !== null) found.push(value);
  }
  const low = quantile(found, (1 - level) / 2);
  const high = quantile(found, (1 + level) / 2);
  return low === null || high === null ? null : { low, high, level };
}

/** Values of one block by the index of the level, and the half of the blocks that it belongs to. */
export interface HalvedBlock {
  half: 0 | 1;
  values: LadderBlock;
}

export interface BestLevel {
  /** Index of the level that each half chose. The value at this level comes from the other half. */
  chosen: [byFirst: number, bySecond: number];
  /** The value of each block at the level that the other half chose; null if it has none. */
  values: (number | null)[];
}

/**
 * The best level of a ladder, without the bias of a maximum. The best of several noisy levels looks better than it is,
 * since noise helped to choose it. So each half of the blocks chooses a level by its Hodges-Lehmann estimates, and the
 * value of that level comes from the other half alone (cross-fitting; Cox 1975, "A note on data-splitting for the
 * evaluation of significance levels"). This estimates the value of a level that is chosen in this way, which is at most
 * that of the best level.
 *
 * @param blocks values above zero; levels in ascending order. A level that fewer than half of the blocks have cannot be
 *   chosen
 * @returns null if a half has no level to choose
 */
export function bestByHalves(blocks: readonly HalvedBlock[]): BestLevel | null {
  const levels = Math.max(0, ...blocks.map(({ values }) => values.length));
  const isChoice = Array.from(
    { length: levels },
    (_, index) => 2 * blocks.filter(({ values }) => values[index]).length >= blocks.length,
  );
  const choose = (half: 0 | 1): number => {
    const own = blocks.filter((block) => block.half === half).map(({ values }) => values);
    const centres = levelCentres(own).map((centre, index) => (isChoice[index] ? (centre ?? -Infinity) : -Infinity));
    const max = Math.max(-Infinity, ...centres);
    return Number.isFinite(max) ? centres.indexOf(max) : -1;
  };
  const chosen: BestLevel['chosen'] = [choose(0), choose(1)];
  if (chosen.includes(-1)) return null;
  return { chosen, values: blocks.map(({ half, values }) => values[chosen[half === 0 ? 1 : 0]] ?? null) };
}

/** How far up a ladder the levels keep to a limit, by index of the level. */
export interface Reach {
  /** The highest level up to which all levels keep to the limit; -1 if not even the lowest does. */
  reach: number;
  /** The lowest and the highest index that it may be; null if there are too few blocks for the confidence level. */
  interval: Interval | null;
  /** Throughput at `reach`; null if there is none. */
  throughput: number | null;
  /**
   * Interval of the throughput at the true reach, whichever level that is; its low end is 0 if possibly no level keeps
   * to the limit.
   */
  throughputInterval: Interval | null;
}

/**
 * The highest level up to which all levels keep to a limit, with its throughput. The value of a level is the
 * Hodges-Lehmann estimate of its blocks on the log scale.
 *
 * Which level that is, is itself uncertain. So the interval of the throughput is the union of the intervals of all
 * levels that it may be. Half of the error is spent on finding these levels. Upwards, a level is surely reached if it
 * and all levels below it surely keep to the limit. A mistake takes one wrong test: that of the level above the true
 * one. Downwards from the top, levels are ruled out as long as each surely exceeds the limit. The first possible
 * mistake is that at the true level (intersection-union test, Berger 1982; fixed sequence, Maurer, Hothorn & Lehmacher
 * 1995). Neither direction assumes that times rise with the level, or how levels depend on each other. All tests are
 * exact signed-rank tests, so the whole is conservative.
 *
 * @param times values above zero, levels in ascending order; the limit is in the same unit
 * @param rates of the same blocks
 * @param level such as 0.95, which takes seven blocks
 */
export function reachWithin(
  times: readonly LadderBlock[],
  rates: readonly LadderBlock[],
  { limit, level }: { limit: number; level: number },
): Reach {
  const centres = levelCentres(times);
  const over = centres.findIndex((centre) => centre === null || centre > Math.log(limit));
  const reach = (over < 0 ? centres.length : over) - 1;
  const throughput = levelCentres(rates)[reach] ?? null;
  const half = (1 + level) / 2;
  const timeIntervals = centres.map((_, index) => signedRankInterval(logsAt(times, index), half));
  const interval = reachable(timeIntervals, Math.log(limit));
  return {
    reach,
    interval,
    throughput: throughput === null ? null : Math.exp(throughput),
    throughputInterval: interval && unionOf(rates, interval, half),
  };
}

/** @param tested interval of the logarithm of each level; null if there are too few blocks */
function reachable(tested: readonly (Interval | null)[], limit: number): Interval | null {
  const levels = tested.flatMap((interval) => (interval ? [interval.level] : []));
  if (levels.length === 0) return null;
  const unsure = tested.findIndex((interval) => interval === null || interval.high > limit);
  let high = tested.length - 1;
  for (let index = high; index >= 0; index--) {
    const interval = tested[index];
    if (!interval) continue;
    if (interval.low <= limit) break;
    high = index - 1;
  }
  return { low: (unsure < 0 ? tested.length : unsure) - 1, high, level: Math.min(...levels) };
}

/** From the lowest to the highest end of the intervals of throughput at these levels; null if one of them has none. */
function unionOf(rates: readonly LadderBlock[], reach: Interval, level: number): Interval | null {
  const intervals: Interval[] = [];
  for (let index = Math.max(0, reach.low); index <= reach.high; index++) {
    const found = signedRankInterval(logsAt(rates, index), level);
    if (!found) return null;
    intervals.push(found);
  }
  if (intervals.length === 0) return null;
  return {
    low: reach.low < 0 ? 0 : Math.exp(Math.min(...intervals.map(({ low }) => low))),
    high: Math.exp(Math.max(...intervals.map(({ high }) => high))),
    level: Math.min(...intervals.map((interval) => interval.level)) + reach.level - 1,
  };
}

function logsAt(blocks: readonly LadderBlock[], index: number): number[] {
  return blocks.flatMap((block) => (block[index] ? [Math.log(block[index])] : []));
}
