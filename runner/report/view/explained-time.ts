import type { ExplainedTime, Explanation } from '../../contract/explanation.ts';
import { type Scale, scaleFor } from '../../contract/format.ts';

/** A whole transaction: the sums of all kinds of time, in seconds. */
export function wholeOf(time: readonly ExplainedTime[]): Pick<ExplainedTime, 'baseline' | 'candidate' | 'change'> {
  const sum = (of: (one: ExplainedTime) => number): number => time.reduce((total, one) => total + of(one), 0);
  return {
    baseline: sum((one) => one.baseline),
    candidate: sum((one) => one.candidate),
    change: sum((one) => one.change),
  };
}

/** One scale for all kinds, so that the rows add up as they are printed. */
export function timeScale({ time }: Pick<Explanation, 'time'>): Scale {
  const whole = wholeOf(time);
  return scaleFor('latency', [whole.baseline, whole.candidate, whole.change, ...time.map(({ change }) => change)]);
}

/** Which side of the comparison is the slower variant. */
export function slowerSide({ slower, candidate }: Explanation): 'baseline' | 'candidate' {
  return slower === candidate ? 'candidate' : 'baseline';
}
