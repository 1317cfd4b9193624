import type { Decision } from '../contract/experiment/schema.ts';
import { blocksToSettle } from '../statistics/power.ts';
import type { Estimate } from './estimate.ts';
import type { Verdict } from '../contract/comparison.ts';
import type { Metric } from '../contract/metric.ts';

/**
 * The verdict that an estimate gives:
 * - equivalent: the whole interval lies within the practical threshold, whether or not it excludes zero;
 * - better, worse: the interval exceeds the threshold and excludes zero. This settles the direction, with the interval's
 * error rate. The interval shows whether the change reaches the threshold;
 * - inconclusive: the interval includes zero and changes that would matter;
 * - descriptive: there is no interval.
 *
 * The threshold is taken on the log scale (+5 % and -4.8 %). So exchanging the two sides mirrors the verdict, and TPS and
 * the runtime of the same work give the same verdict.
 */
export function judge({ interval }: Estimate, better: Metric['better'], { practicalThreshold }: Decision): Verdict {
  if (!interval) return 'descriptive';
  if (interval.low >= -practicalThreshold / (1 + practicalThreshold) && interval.high <= practicalThreshold) {
    return 'equivalent';
  }
  if (interval.low > 0) return better === 'higher' ? 'better' : 'worse';
  if (interval.high < 0) return better === 'higher' ? 'worse' : 'better';
  return 'inconclusive';
}

/**
 * Total number of blocks after which an inconclusive comparison should be settled, if later blocks vary as the blocks so
 * far.
 */
export function blocksThatSettle(
  { interval }: Estimate,
  blocks: number,
  { practicalThreshold }: Decision,
): number | null {
  if (!interval || interval.low <= -1) return null;
  const width = Math.log1p(interval.high) - Math.log1p(interval.low);
  return blocksToSettle({ width, blocks, threshold: Math.log1p(practicalThreshold) });
}

/** How many times better, minus 1, for a relative change: the "% improvement" of the published studies. */
export function speedupOf(change: number | null, { better, compared }: Metric): number | null {
  if (change === null || compared === 'difference') return null;
  if (better === 'higher') return change;
  return change > -1 ? 1 / (1 + change) - 1 : null;
}
