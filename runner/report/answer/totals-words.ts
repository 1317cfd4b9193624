import { support, totalsOf } from '../../analysis/totals.ts';
import { type Comparison, unitOf, unitWords } from '../../contract/comparison.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { plainNumber } from '../../contract/format.ts';
import { describeChange } from './change-words.ts';

/**
 * What a verdict of better or worse says, in a clause. If the totals with their error may be a loss beyond the
 * threshold, it says what each shows: `a is 6% faster than b in a typical block; the mean of all blocks is 1.8%
 * higher, give or take 9%`.
 */
export function effectWords(comparison: Comparison, threshold: number | null): string {
  const words = describeChange(comparison, comparison.change ?? 0, 'is');
  if (!isOfTypical(comparison, threshold)) return words;
  return `${words} in a typical ${unitWords(unitOf(comparison), 1)}; ${totalsWords(comparison)}`;
}

/** Whether an effect is that of a typical block only: the totals with their error may be a loss beyond the threshold. */
export function isOfTypical(
  { change, pairs, metric, unknownPairs = 0 }: Comparison,
  threshold: number | null,
): boolean {
  const { compared } = metricNamed(metric) ?? {};
  const totals = totalsOf(pairs, compared);
  if (threshold === null || change === null || totals === null) return false;
  return unknownPairs > 0 || !support(totals, change, threshold, compared);
}

/** Such as `a is 5% faster than b in a typical block, but the mean of all blocks is 4% lower, give or take 9%`. */
export function disagreementWords(comparison: Comparison): string {
  const words = describeChange(comparison, comparison.change ?? 0, 'is');
  return `in a typical ${unitWords(unitOf(comparison), 1)}, ${words}, but ${totalsWords(comparison)}`;
}

function totalsWords(comparison: Comparison): string {
  const { metric, pairs, unknownPairs = 0 } = comparison;
  const totals = totalsOf(pairs, metricNamed(metric)?.compared);
  if (totals === null) return 'there are no totals';
  const isRatio = metricNamed(metric)?.compared !== 'difference';
  const { change, high } = totals;
  const error = isRatio ? (1 + high) / (1 + change) - 1 : high - change;
  const errorSizes = changesOf(metric, error);
  const mean = `the mean of all ${unknownPairs > 0 ? 'known ' : ''}${unitWords(unitOf(comparison), 2)} is`;
  const give = Number.isFinite(error)
    ? `give or take ${errorSizes.isMultiple ? `a factor of ${plainNumber(1 + error)}` : errorSizes.size(error)}`
    : 'with no bound on its error';
  return `${mean} ${changesOf(metric, change).than(change)}, ${give}`;
}
