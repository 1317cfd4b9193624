import { excludesZero } from '../../../statistics/exact-interval.ts';
import { changesOf, metricNamed } from '../../../metrics/catalogue.ts';
import { contradict, support, totalsOf, withinThreshold } from '../../totals.ts';
import { notAssessed, type PairCheck, pass, warn } from '../check.ts';

/**
 * Whether the totals show the same as the typical pair. A side that stalls in a few trials loses in total, although
 * most of its pairs do not show it. The verdict has taken the direction of the totals into account (`judge`).
 */
export const totals: PairCheck = {
  id: 'totals',
  name: 'totals',
  remedy: 'Find out what happened in the outlier trials, then measure more blocks.',
  judge: ({ experiment }, { comparison }) => {
    const { change, interval, pairs, metric, verdict, undecided } = comparison;
    const { practicalThreshold } = experiment.definition.decision;
    const compared = metricNamed(metric)?.compared;
    const isDifference = compared === 'difference';
    const found = totalsOf(pairs, compared);
    if (found === null || change === null || (!isDifference && change <= -1)) {
      return notAssessed(isDifference ? 'too few pairs' : 'too few pairs with a ratio');
    }
    const { size } = changesOf(metric, change);
    const text = `typical change ${size(change)}, ${isDifference ? 'difference of the means' : 'ratio of totals'} ${size(found.change)}`;
    // The interval of a candidate that a later step of Holm found ends at zero.
    const isFound = verdict === 'better' || verdict === 'worse' || undecided === 'typical-and-total-disagree';
    const isDirected = isFound || (interval !== null && excludesZero(interval));
    if (isDirected && contradict(found, change)) return warn(`typical and total disagree: ${text}`);
    const apart = isDifference ? found.change - change : (1 + found.change) / (1 + change) - 1;
    const isApart = !withinThreshold({ low: apart, high: apart }, practicalThreshold, compared);
    const isSupported = !isDirected || support(found, change, practicalThreshold, compared);
    if (!isApart && isSupported) return pass(text);
    const few = isApart ? ': one side has a few outlier trials' : '';
    const open = isSupported
      ? ''
      : '; with their error, the totals may lie beyond the threshold on the other side of zero';
    return warn(`${text}${few}${open}`);
  },
};
