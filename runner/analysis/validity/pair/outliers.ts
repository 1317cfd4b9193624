import { pairWords } from '../../../contract/comparison.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { fewestPairs } from '../../../statistics/exact-interval.ts';
import { median } from '../../../statistics/summaries.ts';
import { notAssessed, type PairCheck, pass, percent, points, warn } from '../check.ts';

/**
 * Outliers have modified z-scores beyond 3.5 (Iglewicz & Hoaglin 1993, "How to Detect and Handle Outliers"). They are
 * flagged, never dropped.
 */
export const outliers: PairCheck = ({ experiment }, { comparison }) => {
  const name = 'outliers';
  const isDifference = metricNamed(comparison.metric)?.compared === 'difference';
  const ratios = comparison.pairs.flatMap((pair) => {
    const { baseline, candidate } = pair;
    const words = pairWords(pair);
    if (isDifference) return [{ words, value: candidate - baseline }];
    return baseline > 0 && candidate > 0 ? [{ words, value: Math.log(candidate / baseline) }] : [];
  });
  const center = median(ratios.map(({ value }) => value));
  const deviation = center === null ? null : median(ratios.map(({ value }) => Math.abs(value - center)));
  if (center === null || deviation === null || ratios.length < fewestPairs) {
    return [notAssessed(name, 'too few blocks to judge')];
  }
  const odd = ratios.filter(({ value }) => 0.6745 * Math.abs(value - center) > 3.5 * deviation);
  // A deviation below the practical threshold is not odd, even if all other blocks lie close together.
  const { practicalThreshold } = experiment.definition.decision;
  const matters = odd.filter(
    ({ value }) => Math.abs(value - center) > (isDifference ? practicalThreshold : Math.log1p(practicalThreshold)),
  );
  if (matters.length === 0) return [pass(name, 'no block lies far from the others')];
  const found = matters
    .map(({ words, value }) => `${words} (${isDifference ? points(value) : percent(Math.expm1(value))})`)
    .join(', ');
  const label = metricNamed(comparison.metric)?.label ?? comparison.metric;
  return [warn(name, `block ${found} lies far from the others in ${label}; it still counts`)];
};
