import { type Comparison, type CountedPair, pairWords } from '../../../contract/comparison.ts';
import { changesOf, metricNamed } from '../../../metrics/catalogue.ts';
import { minPairs } from '../../../statistics/exact-interval.ts';
import { median } from '../../../statistics/summaries.ts';
import { notAssessed, type PairCheck, pass, warn } from '../check.ts';

/** A pair with its difference or log-ratio. */
interface Apart {
  pair: CountedPair;
  value: number;
}

/**
 * Pairs that lie far from the others: modified z-scores beyond 3.5 (Iglewicz & Hoaglin 1993, "How to Detect and Handle Outliers"),
 * and farther from the median than what matters, even if all others lie close together.
 *
 * @returns null if there are too few pairs to judge
 */
export function outliersOf(
  { metric, pairs }: Pick<Comparison, 'metric' | 'pairs'>,
  practicalThreshold: number,
): Apart[] | null {
  const isDifference = isByDifference(metric);
  const values = pairs.flatMap((pair): Apart[] => {
    const { baseline, candidate } = pair;
    if (isDifference) return [{ pair, value: candidate - baseline }];
    return baseline > 0 && candidate > 0 ? [{ pair, value: Math.log(candidate / baseline) }] : [];
  });
  const center = median(values.map(({ value }) => value));
  const deviation = center === null ? null : median(values.map(({ value }) => Math.abs(value - center)));
  if (center === null || deviation === null || values.length < minPairs) return null;
  const min = isDifference ? practicalThreshold : Math.log1p(practicalThreshold);
  return values.filter(({ value }) => {
    const distance = Math.abs(value - center);
    return 0.6745 * distance > 3.5 * deviation && distance > min;
  });
}

/** Outliers are flagged, never dropped. */
export const outliers: PairCheck = {
  id: 'outliers',
  name: 'outliers',
  remedy: 'Find out what happened in these blocks. They are still included.',
  judge: ({ experiment }, { comparison }) => {
    const { metric } = comparison;
    const far = outliersOf(comparison, experiment.definition.decision.practicalThreshold);
    if (far === null) return notAssessed('too few blocks to judge');
    if (far.length === 0) return pass('no outlier');
    const found = far
      .map(({ pair, value }) => {
        const change = isByDifference(metric) ? value : Math.expm1(value);
        return `${pairWords(pair)} (${changesOf(metric, change).size(change)})`;
      })
      .join(', ');
    const label = metricNamed(metric)?.label ?? metric;
    return warn(`block ${found} is an outlier in ${label}; it is still included`);
  },
};

function isByDifference(metric: string): boolean {
  return metricNamed(metric)?.compared === 'difference';
}
