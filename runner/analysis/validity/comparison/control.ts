import type { Comparison } from '../../../contract/comparison.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { excludesZero } from '../../../statistics/exact-interval.ts';
import { type CheckDefinition, fail, type Finding, notAssessed, pass, warn } from '../check.ts';
import { changeRange } from '../../../contract/format-change.ts';

/**
 * A control is the baseline once more. Only a control that is found equivalent to it shows that equal variants come out
 * equal. To find no difference is not enough: a real artefact of 5% passes that way more often than not.
 */
export const control: CheckDefinition & { judge: (comparison: Comparison) => Finding } = {
  id: 'control',
  name: 'control',
  isNamedByFinding: true,
  couldChange: 'answer',
  remedy: 'Find out what makes the control differ from the baseline, since that affects every variant. Then rerun.',
  judge: ({ metric, candidate: { variant }, verdict, interval }) => {
    const range = interval && changeRange(interval, metricNamed(metric)?.compared);
    const same = `${variant} has the same configuration as the baseline`;
    switch (verdict) {
      case 'better':
      case 'worse':
        return fail(`${same}, yet its verdict is ${verdict}`);
      case 'equivalent':
        return interval && range && excludesZero(interval)
          ? warn(`${same} and is equivalent to it, but differs by ${range}; a verdict must exceed that`)
          : pass(`${same} and is equivalent to it`);
      default:
        return range
          ? warn(`${same}, but equivalence is not proven: it may differ by ${range}`)
          : notAssessed(`${same}, but equivalence is not proven: it has no verdict`);
    }
  },
};
