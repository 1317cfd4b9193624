import type { Verdict } from '../contract/comparison.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import { blocksToSettle } from '../statistics/power.ts';
import { ratioOfTotals } from '../statistics/totals.ts';
import type { Estimate, ValuesOfPair } from './estimate.ts';
import type { Judged } from './family.ts';

/**
 * The verdict that an estimate gives:
 * - equivalent: the whole interval lies within the practical threshold, whether or not it includes zero, and so does the ratio
 *   of the totals with its error: a side that stalls in one trial of five is not the same;
 * - better, worse: it is settled that the candidate differs. This settles the direction. The interval shows whether the change
 *   reaches the threshold;
 * - inconclusive: neither is settled;
 * - descriptive: there is no interval.
 *
 * The threshold is taken on the log scale (+5 % and -4.8 %). So exchanging the two sides mirrors the verdict, and TPS and
 * the runtime of the same work give the same verdict.
 */
export function judge(
  { estimate: { interval, change }, differs }: Judged<Estimate>,
  pairs: readonly ValuesOfPair[],
  better: Metric['better'],
  { practicalThreshold }: Decision,
): Verdict {
  if (!interval || change === null) return 'descriptive';
  if (withinThreshold(interval, practicalThreshold) && totalsWithinThreshold(pairs, practicalThreshold)) {
    return 'equivalent';
  }
  if (differs) return change > 0 === (better === 'higher') ? 'better' : 'worse';
  return 'inconclusive';
}

export function withinThreshold({ low, high }: { low: number; high: number }, threshold: number): boolean {
  return low >= -threshold / (1 + threshold) && high <= threshold;
}

/** Also true where the totals tell nothing: then the interval alone decides. */
export function totalsWithinThreshold(pairs: readonly ValuesOfPair[], threshold: number): boolean {
  const totals = ratioOfTotals(pairs);
  return totals === null || withinThreshold({ low: totals.low - 1, high: totals.high - 1 }, threshold);
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
