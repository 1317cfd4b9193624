import type { Metric } from '../contract/metric.ts';
import { differenceOfMeans, ratioOfTotals } from '../statistics/summaries.ts';
import { addable, type ValuesOfPair } from './side-values.ts';

/**
 * What all trials show together, on the scale of the comparison's change: the ratio of the sums less one, or the
 * difference of the means, with two standard errors on either side. The typical pair hides stalls; this counts them.
 */
export interface Totals {
  change: number;
  low: number;
  high: number;
}

/** null if the pairs have no totals: fewer than two, or a sum of zero. */
export function totalsOf(pairs: readonly ValuesOfPair[], compared: Metric['compared'] = 'ratio'): Totals | null {
  if (compared === 'difference') {
    const means = differenceOfMeans(addable(pairs));
    return means && { change: means.difference, low: means.low, high: means.high };
  }
  const sums = ratioOfTotals(addable(pairs));
  return sums && { change: sums.ratio - 1, low: sums.low - 1, high: sums.high - 1 };
}

/**
 * Whether the totals do not lie on the same side of zero as the typical change. Then neither better nor worse stands:
 * both must hold (Berger 1982, "Multiparameter hypothesis testing and acceptance sampling"), so this can only lower the
 * rate of false verdicts. Without totals nothing contradicts.
 */
export function contradict(totals: Totals | null, change: number): boolean {
  return totals !== null && (change > 0 ? totals.change <= 0 : totals.change >= 0);
}

/**
 * Whether the totals with their error leave no loss beyond the threshold, in the direction of the change. Otherwise a
 * sentence about the change speaks of the typical block only.
 */
export function support(
  totals: Totals | null,
  change: number,
  threshold: number,
  compared: Metric['compared'] = 'ratio',
): boolean {
  const { low, high } = boundsOf(threshold, compared);
  return totals !== null && (change > 0 ? totals.low > low : totals.high < high);
}

export function withinThreshold(
  range: { low: number; high: number },
  threshold: number,
  compared: Metric['compared'] = 'ratio',
): boolean {
  const { low, high } = boundsOf(threshold, compared);
  return range.low >= low && range.high <= high;
}

/** On the log scale, a ratio's two bounds are equally far from zero. */
function boundsOf(threshold: number, compared: Metric['compared']): { low: number; high: number } {
  return { low: -(compared === 'difference' ? threshold : threshold / (1 + threshold)), high: threshold };
}

/** The share of trials that may stall although none of so many blocks did: its chance of not showing is 5%. */
export function unseenStalls(blocks: number): number {
  return 1 - 0.05 ** (1 / blocks);
}
