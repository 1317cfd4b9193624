import { differenceOfMeans, ratioOfTotals } from '../../../statistics/summaries.ts';
import type { Metric } from '../../../contract/metric.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { withinThreshold } from '../../verdict.ts';
import { notAssessed, type PairCheck, pass, percent, points, warn } from '../check.ts';

/**
 * Whether the totals show the same as the typical pair. A side that stalls in a few trials loses in total, although
 * most of its pairs do not show it.
 */
export const asymmetry: PairCheck = ({ experiment }, { comparison }) => {
  const name = 'asymmetry';
  const { change, pairs } = comparison;
  const { practicalThreshold } = experiment.definition.decision;
  const words = (typical: string, whole: string): string => `typical change ${typical}, ${whole}`;
  const judged = (apart: number, text: string, compared: Metric['compared']) => [
    withinThreshold({ low: apart, high: apart }, practicalThreshold, compared)
      ? pass(name, text)
      : warn(name, `${text}: a few trials of one side are far better or worse than its other trials`),
  ];
  if (metricNamed(comparison.metric)?.compared === 'difference') {
    const means = differenceOfMeans(pairs);
    if (means === null || change === null) return [notAssessed(name, 'too few pairs')];
    const text = words(points(change), `difference of the means ${points(means.difference)}`);
    return judged(means.difference - change, text, 'difference');
  }
  const totals = ratioOfTotals(pairs);
  if (totals === null || change === null || change <= -1) return [notAssessed(name, 'too few pairs with a ratio')];
  const text = words(percent(change), `ratio of totals ${percent(totals.ratio - 1)}`);
  return judged(totals.ratio / (1 + change) - 1, text, 'ratio');
};
