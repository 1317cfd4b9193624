import type { Comparison } from '../contract/comparison.ts';
import type { GateFinding } from '../contract/gate.ts';
import type { Metric } from '../contract/metric.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import type { ComparedBy } from './scale.ts';
import { totalsOf, withinThreshold } from './totals.ts';

type Judged = Pick<
  Comparison,
  'metric' | 'better' | 'verdict' | 'undecided' | 'withheld' | 'change' | 'interval' | 'beside' | 'pairs'
>;

/**
 * What a comparison means for a change that wants to be merged.
 *
 * It fails if it is worse beyond noise, and the estimate is worse by more than the threshold. A change of no effect
 * fails as rarely as any verdict is wrong: the level of the interval holds at all looks together. It passes if it is
 * better or equivalent, or if interval, totals and what other programs can explain leave no loss beyond the threshold
 * (non-inferiority). Everything else is no answer.
 */
export function gateFinding(comparison: Judged, threshold: number): GateFinding {
  const { verdict, change, better } = comparison;
  const compared = metricNamed(comparison.metric)?.compared ?? 'ratio';
  const isSmall = (loss: Range): boolean => isLossWithin(loss, { better, compared }, threshold);
  switch (verdict) {
    case 'better':
    case 'equivalent':
      return { outcome: 'pass', because: verdict };
    case 'worse':
      if (change === null || !isSmall({ low: change, high: change })) return { outcome: 'fail', because: 'worse' };
      return isSmallForSure(comparison, isSmall, compared)
        ? { outcome: 'pass', because: 'not-worse' }
        : { outcome: 'no-verdict', because: 'slightly-worse' };
    case 'inconclusive':
      return comparison.undecided === 'interval-includes-zero' && isSmallForSure(comparison, isSmall, compared)
        ? { outcome: 'pass', because: 'not-worse' }
        : { outcome: 'no-verdict', because: 'inconclusive' };
    case 'descriptive':
    case null:
      return { outcome: 'no-verdict', because: 'withheld' };
  }
}

/** Of several levels of a load, the one that speaks most against a change; `own` is undefined if nothing was compared. */
export function worstFinding<C extends Judged>(
  comparisons: readonly C[],
  threshold: number,
): { own: C | undefined; finding: GateFinding } {
  const order: readonly GateFinding['outcome'][] = ['fail', 'no-verdict', 'pass'];
  const [worst] = comparisons
    .map((own) => ({ own, finding: gateFinding(own, threshold) }))
    .toSorted((one, other) => order.indexOf(one.finding.outcome) - order.indexOf(other.finding.outcome));
  return worst ?? { own: undefined, finding: { outcome: 'no-verdict', because: 'withheld' } };
}

interface Range {
  low: number | null;
  high: number | null;
}

function isSmallForSure(
  { interval, beside, pairs }: Judged,
  isSmall: (loss: Range) => boolean,
  compared: ComparedBy,
): boolean {
  if (!interval) return false;
  const totals = totalsOf(pairs, compared);
  return [interval, ...(totals ? [totals] : []), ...(beside ? [beside.alike, beside.quiet] : [])].every(isSmall);
}

/** Whether the worse end of a range lies within the threshold. An end without a bound does not. */
function isLossWithin(
  { low, high }: Range,
  { better, compared }: { better: Metric['better']; compared: ComparedBy },
  threshold: number,
): boolean {
  const worst = better === 'higher' ? low : high;
  if (worst === null) return false;
  const loss = better === 'higher' ? { low: Math.min(worst, 0), high: 0 } : { low: 0, high: Math.max(worst, 0) };
  return withinThreshold(loss, threshold, compared);
}
