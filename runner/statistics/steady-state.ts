import { batchMeans, lag1Autocorrelation, mean } from './batches.ts';
import { theilSenSlope, trendTest } from './kendall.ts';
import { median } from './quantiles.ts';

const mserBatch = 5;
/** With fewer than ten batches of five, the standard error that MSER minimises is mostly noise. */
const fewestMserBatches = 10;
/** MSER-5 says nothing about shorter series. */
export const fewestMserSeconds = mserBatch * fewestMserBatches;
const trendBatches = 10;
/**
 * Limit for the autocorrelation of the batch means without their trend. Ten independent means exceed it in one of 25 cases.
 */
const mostAutocorrelation = 0.3;
const trendSignificance = 0.05;

/**
 * Finds how much of the start of a series to leave out, by MSER-5 (White, Cobb & Spratt 2000, "A Comparison of Five
 * Steady-State Truncation Heuristics for Simulation"). It averages batches of five values. Of the cuts within the first
 * half, it takes the one after which the mean of the remaining batches has the smallest squared standard error. It assumes
 * that only the start differs, and that the rest has one mean.
 *
 * @returns number of values to leave out, a multiple of five; null for fewer than 50 values, and if the best cut is at the
 *   half: then MSER finds no steady state
 */
export function mser5(series: readonly number[]): number | null {
  const batches = batchMeans(series, mserBatch);
  if (batches.length < fewestMserBatches) return null;
  const furthest = Math.floor(batches.length / 2);
  let best = 0;
  let least = Infinity;
  for (let cut = 0; cut <= furthest; cut++) {
    const rest = batches.slice(cut);
    const center = mean(rest);
    const statistic = rest.reduce((sum, value) => sum + (value - center) ** 2, 0) / rest.length ** 2;
    if (statistic < least) [best, least] = [cut, statistic];
  }
  return best === furthest ? null : best * mserBatch;
}

/** The largest of the cuts, for all trials of a block; null if one of its trials has no cut. */
export function commonCut(cuts: readonly (number | null)[]): number | null {
  return cuts.reduce<number | null>((most, cut) => (most === null || cut === null ? null : Math.max(most, cut)), 0);
}

export interface Steadiness {
  state: 'steady' | 'trending' | 'not assessed';
  /** Change over the whole series by its median slope, relative to its median; null if not assessed. */
  drift: number | null;
  /** In words. */
  reason: string;
}

/**
 * Judges whether a per-second series still rises or falls. It is averaged over ten batches, so that seconds that depend on
 * each other (checkpoints, group commits) count once. It is trending if the trend is both beyond chance (Mann-Kendall on
 * the batches, 5 %) and large enough to matter.
 *
 * @param series values per second, of the measured part only
 * @param options.fewestSeconds shorter series are not assessed; at least one checkpoint cycle is a sensible choice
 * @param options.threshold smallest relative drift that matters
 */
export function assessSteadiness(
  series: readonly number[],
  { fewestSeconds, threshold }: { fewestSeconds: number; threshold: number },
): Steadiness {
  const fewest = Math.max(fewestSeconds, trendBatches * mserBatch);
  if (series.length < fewest) return notAssessed(`${series.length} s are too short to judge: ${fewest} s are needed`);
  const batches = batchMeans(series, Math.floor(series.length / trendBatches)).slice(0, trendBatches);
  const level = median(batches);
  const slope = theilSenSlope(batches);
  const pValue = trendTest(batches);
  if (level === null || level === 0 || slope === null || pValue === null) return notAssessed('there is no level');

  const detrended = batches.map((value, index) => value - slope * index);
  const correlation = lag1Autocorrelation(detrended);
  if (correlation !== null && correlation > mostAutocorrelation) {
    return notAssessed('it swings too slowly for its length: batches of it hang together');
  }
  const drift = (slope * (batches.length - 1)) / level;
  const trending = pValue <= trendSignificance && Math.abs(drift) >= threshold;
  return {
    state: trending ? 'trending' : 'steady',
    drift,
    reason: trending
      ? 'rises or falls from start to end by more than matters'
      : 'no trend that is large and beyond chance',
  };
}

function notAssessed(reason: string): Steadiness {
  return { state: 'not assessed', drift: null, reason };
}
