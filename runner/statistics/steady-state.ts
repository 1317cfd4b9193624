import { batchMeans, mean, median } from './summaries.ts';

const mserBatch = 5;
/** With fewer than ten batches of five, the standard error that MSER minimises is mostly noise. */
const minMserBatches = 10;
/** MSER-5 says nothing about shorter series. */
export const minMserSeconds = mserBatch * minMserBatches;
/**
 * An outlier, after Iglewicz & Hoaglin (1993), is more than this many deviations from the median; the deviation is
 * estimated by the MAD.
 */
const outlyingDeviations = 3.5;
const deviationsPerMad = 1.4826;

/**
 * How much of the start of a series differs: MSER-5 as it was published (White, Cobb & Spratt 2000, "A Comparison of
 * Five Steady-State Truncation Heuristics for Simulation"). It uses means of batches of five. It cuts where the squared
 * standard error of the mean of the rest is smallest, and cuts at most the first half. Assumes that only the start
 * differs, and that the rest has one mean. A stall in mid-trial breaks this; see `startThatDiffers`.
 *
 * @returns the number of values to leave out, a multiple of five. It is null for fewer than 50 values, and if the best
 *   cut is at the half: then MSER finds no steady state
 */
export function mser5(series: readonly number[]): number | null {
  return mserOfBatches(batchMeans(series, mserBatch));
}

/**
 * MSER-5 that a stall cannot mislead. MSER cuts off any stretch of the first half that lies far from the rest, and
 * everything before it, even if the series had long been at its level. Therefore such stretches are ignored. The series
 * has reached its level when two batches in a row lie within 3.5 deviations of the median of the second half. Later
 * batches beyond these deviations are set to this median before MSER looks at them. Assumes that more than half of the
 * second half is at the level.
 *
 * @returns as `mser5`
 */
export function startThatDiffers(series: readonly number[]): number | null {
  const batches = batchMeans(series, mserBatch);
  const end = batches.slice(Math.floor(batches.length / 2));
  const level = median(end) ?? 0;
  const deviation = deviationsPerMad * (median(end.map((value) => Math.abs(value - level))) ?? 0);
  const liesFar = (value: number): boolean => Math.abs(value - level) > outlyingDeviations * deviation;
  const arrival = batches.findIndex((value, index) => !liesFar(value) && !liesFar(batches[index + 1] ?? value));
  return mserOfBatches(
    batches.map((value, index) => (arrival !== -1 && index > arrival && liesFar(value) ? level : value)),
  );
}

function mserOfBatches(batches: readonly number[]): number | null {
  if (batches.length < minMserBatches) return null;
  const furthest = Math.floor(batches.length / 2);
  let best = 0;
  let min = Infinity;
  // From the end on, as each value joins those after it: Welford (1962), "Note on a Method for Calculating Corrected Sums of Squares and
  // Products".
  let center = 0;
  let squares = 0;
  for (let cut = batches.length - 1, count = 1; cut >= 0; cut--, count++) {
    const value = batches[cut] as number;
    const before = value - center;
    center += before / count;
    squares += before * (value - center);
    if (cut > furthest) continue;
    const statistic = squares / count ** 2;
    // If several are equal, the shortest cut wins.
    if (statistic <= min) [best, min] = [cut, statistic];
  }
  return best === furthest ? null : best * mserBatch;
}

/** With fewer values, a quarter may be just a hiccup. */
const minForQuarters = 8;

/**
 * Mean of the first quarter of a series, divided by that of the rest; null for fewer than eight values, or if the rest
 * is zero.
 */
export function startByRest(series: readonly number[]): number | null {
  if (series.length < minForQuarters) return null;
  const quarter = Math.floor(series.length / 4);
  const rest = mean(series.slice(quarter));
  return rest > 0 ? mean(series.slice(0, quarter)) / rest : null;
}

/** The largest of the cuts, for all trials of a block; null if one of its trials has no cut. */
export function commonCut(cuts: readonly (number | null)[]): number | null {
  return cuts.reduce<number | null>((max, cut) => (max === null || cut === null ? null : Math.max(max, cut)), 0);
}
