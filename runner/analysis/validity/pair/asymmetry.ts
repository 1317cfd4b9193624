import { ratioOfTotals } from '../../../statistics/totals.ts';
import { withinThreshold } from '../../verdict.ts';
import { notAssessed, pass, percent, warn } from '../findings.ts';
import type { PairCheck } from '../pair-check.ts';

/**
 * Whether the totals tell the same as the typical pair. A side that stalls in a few trials loses in total, although most of
 * its pairs do not show it.
 */
export const asymmetry: PairCheck = ({ experiment }, { comparison }) => {
  const name = 'asymmetry';
  const { change, pairs } = comparison;
  const totals = ratioOfTotals(pairs);
  if (totals === null || change === null || change <= -1) return [notAssessed(name, 'too few pairs with a ratio')];
  const { practicalThreshold } = experiment.definition.decision;
  const apart = totals.ratio / (1 + change) - 1;
  const words = `typical change ${percent(change)}, ratio of totals ${percent(totals.ratio - 1)}`;
  return [
    withinThreshold({ low: apart, high: apart }, practicalThreshold)
      ? pass(name, words)
      : warn(name, `${words}: a few trials of one side are far better or worse than its others`),
  ];
};
