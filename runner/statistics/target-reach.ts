import type { Interval } from './exact-interval.ts';
import { type LadderBlock, levelCentres } from './knee.ts';
import { signedRankInterval } from './signed-rank.ts';

/** How far up a ladder a limit is kept to, by index of the level. */
export interface Reach {
  /** The highest level up to which every level keeps to the limit; -1 if not even the lowest does. */
  reach: number;
  /** The lowest and highest that it may be; null if there are too few blocks for the level. */
  interval: Interval | null;
  /** Throughput at `reach`; null if there is none. */
  throughput: number | null;
  /** Interval of the throughput at the true reach, whichever level that is; its low end is 0 if none may keep to the limit. */
  throughputInterval: Interval | null;
}

/**
 * The highest level up to which every level keeps to a limit, with its throughput. Levels are estimated by the Hodges-Lehmann
 * estimate of their blocks on the log scale.
 *
 * Which level that is, is itself uncertain. So the interval of the throughput is the union of those of all levels that it may
 * be, and half of the error belongs to finding these. Upwards, a level is sure to be reached if it and all below it are sure to
 * keep to the limit: one wrong test among them is needed for a mistake, that of the level above the true one. Downwards from
 * the top, levels are ruled out as long as each is sure to exceed the limit: the first mistake is that at the true one
 * (intersection-union test, Berger 1982; fixed sequence, Maurer, Hothorn & Lehmacher 1995). Neither assumes that times rise
 * with the level, or how levels depend on each other. All tests are exact signed-rank ones, so that the whole is conservative.
 *
 * @param times values above zero, levels in ascending order; the limit is in the same unit
 * @param rates of the same blocks
 * @param level such as 0.95; it takes seven blocks
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
  const ofTimes = centres.map((_, index) => signedRankInterval(logsAt(times, index), half));
  const interval = reachable(ofTimes, Math.log(limit));
  return {
    reach,
    interval,
    throughput: throughput === null ? null : Math.exp(throughput),
    throughputInterval: interval && unionOf(rates, interval, half),
  };
}

/** @param tested interval of the logarithm of each level; null where there are too few blocks */
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

/** From the lowest end to the highest of the intervals of throughput at these levels; null if one of them has none. */
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
