import { excludesZero, type Interval, simultaneousLevel } from '../statistics/exact-interval.ts';
import type { Ends, Estimate } from './estimate.ts';
import type { Check } from '../contract/check.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import type { AtCrossover } from './crossover.ts';
import { contradict, type Totals } from './totals.ts';
import { checked, type CheckDefinition, type Finding, pass, warn } from './validity/check.ts';
import { holdsBeside, judge, judgeDirection, type Judged, type Judgement } from './verdict.ts';
import { changeRange } from '../contract/format-change.ts';

/** One comparison of a family, with its estimate at any level. */
export interface Member<E extends Estimate> {
  /** Level that its interval would have if it were the only one. */
  level: number;
  estimateAt: (level: number) => E;
  /** What must also hold at a level, besides an interval that excludes zero, for it to differ. @default nothing */
  holdsAt?: (interval: Interval, level: number) => boolean;
}

/**
 * Judges several comparisons together, so that the chance of finding any difference where none exists stays as
 * declared. The intervals hold all at once: each leaves out its share of the error (Bonferroni). Which candidates
 * differ is decided step by step (Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure"): a candidate
 * that is found to differ leaves its share to the rest. If only a later step finds it, its interval ends at zero
 * instead of including it (Guilbaud 2008, "Simultaneous confidence regions corresponding to Holm's step-down
 * procedure"). Assumes nothing about how the comparisons depend on each other.
 */
export function judgeFamily<E extends Estimate>(members: readonly Member<E>[]): Judged<E>[] {
  const found = new Set<Member<E>>();
  for (;;) {
    const among = members.length - found.size;
    const more = members.filter((member) => !found.has(member) && differsAt(member, among));
    if (more.length === 0) break;
    for (const member of more) found.add(member);
  }
  return members.map((member) => {
    const estimate = member.estimateAt(simultaneousLevel(member.level, members.length));
    const differs = found.has(member);
    return { estimate: differs ? endAtZero(estimate) : estimate, differs };
  });
}

function differsAt(
  { level, estimateAt, holdsAt = () => true }: Pick<Member<Estimate>, 'level' | 'estimateAt' | 'holdsAt'>,
  among: number,
): boolean {
  const own = simultaneousLevel(level, among);
  const estimate = estimateAt(own);
  const { interval } = estimate;
  return interval !== null && excludesZero(interval) && holdsBeside(estimate) && holdsAt(interval, own);
}

function endAtZero<E extends Estimate>(estimate: E): E {
  const { interval, change, beside } = estimate;
  if (!interval || change === null || excludesZero(interval)) return estimate;
  const ended = <Range extends Ends>(range: Range): Range =>
    change > 0 ? { ...range, low: Math.max(0, range.low ?? 0) } : { ...range, high: Math.min(0, range.high ?? 0) };
  return {
    ...estimate,
    interval: ended(interval),
    // It was found beside equal programs, too.
    ...(beside && { beside: { ...beside, alike: ended(beside.alike) } }),
  };
}

/** A control is the baseline once more: a second arm that the candidate is compared with. */
export interface Control {
  control: string;
  /** The candidate against the control. */
  estimateAt: (level: number) => Estimate;
  /** Those of the candidate and the control. */
  totals: Totals | null;
  /** Further pairs, which are unknown. */
  unknown: readonly AtCrossover[];
  /** The interval of the control against the baseline; null if it has none. */
  own: Interval | null;
}

/**
 * Whether a candidate that differs from the baseline also differs from every control, in the same direction, also in
 * total, and goes beyond the difference that the controls themselves show. All of this must hold, so the error is that of the weakest
 * comparison, and the comparisons share no level (intersection-union: Berger 1982, "Multiparameter hypothesis testing
 * and acceptance sampling").
 *
 * @param interval of the candidate against the baseline at this level; it excludes zero
 */
export function holdsAgainst(controls: readonly Control[], interval: Interval, level: number): boolean {
  return controls.every((control) => differsFrom(control, interval, level) && clears(interval, control.own));
}

/**
 * The verdict on a candidate, with a finding for each control. A candidate that is better, worse or equivalent must be
 * so against every arm. Otherwise the verdict is inconclusive.
 *
 * @param level at which an equivalence is judged
 */
export function judgeAgainstControls(
  judged: Judged<Estimate>,
  controls: readonly Control[],
  {
    totals,
    unknown = [],
    metric,
    decision,
    level,
  }: {
    totals: Totals | null;
    unknown?: readonly AtCrossover[];
    metric: Pick<Metric, 'better' | 'compared'>;
    decision: Decision;
    level: number;
  },
): Judgement & { checks: Check[] } {
  const { estimate, differs } = judged;
  const { interval, change } = estimate;
  const alone = judge(judged, totals, metric, decision, unknown.length);
  const isEquivalent = (control: Control): boolean =>
    judge(
      { estimate: control.estimateAt(level), differs: false },
      control.totals,
      metric,
      decision,
      control.unknown.length,
    ).verdict === 'equivalent';
  const unlessEquivalent = (): Judgement =>
    differs && change !== null
      ? judgeDirection(change, totals, metric.better)
      : { verdict: 'inconclusive', undecided: 'not-against-the-control' };
  const judgement = alone.verdict === 'equivalent' && !controls.every(isEquivalent) ? unlessEquivalent() : alone;
  const objects = (control: Control): boolean =>
    judgement.verdict === 'inconclusive' &&
    (alone.verdict === 'equivalent'
      ? !isEquivalent(control)
      : interval !== null && excludesZero(interval) && !holdsAgainst([control], interval, level));
  return {
    ...judgement,
    checks: controls.map((control) =>
      checked(
        againstControl,
        checkControl(control, interval, { objects: objects(control), level, compared: metric.compared }),
      ),
    ),
  };
}

/** Whether a candidate shows against a control what it shows against the baseline. */
export const againstControl: CheckDefinition = {
  id: 'against-the-control',
  name: 'against the control',
  couldChange: 'answer',
  remedy: 'Measure more blocks, or find out why the control differs from the baseline.',
};

/** What the candidate shows against a control, as a warning if that is why there is no verdict. */
function checkControl(
  { control, own, estimateAt, totals }: Control,
  interval: Interval | null,
  { objects, level, compared }: { objects: boolean; level: number; compared: Metric['compared'] },
): Finding {
  const { interval: found } = estimateAt(level);
  const against = found
    ? `vs ${control}, which has the baseline’s configuration, the change is ${changeRange(found, compared)}`
    : `vs ${control}, which has the baseline’s configuration, there are too few trials for an interval`;
  if (!objects) return pass(against);
  if (interval && contradict(totals, interval.low)) return warn(`${against}, but typical and total disagree`);
  return interval && own && excludesZero(interval) && !clears(interval, own)
    ? warn(
        `${control}, which has the baseline’s configuration, itself shows ${changeRange(own, compared)}; the variant’s change does not exceed that`,
      )
    : warn(against);
}

function differsFrom({ estimateAt, totals }: Control, interval: Interval, level: number): boolean {
  const estimate = estimateAt(level);
  const { interval: found } = estimate;
  if (found === null || !holdsBeside(estimate) || contradict(totals, interval.low > 0 ? 1 : -1)) return false;
  return interval.low > 0 ? found.low > 0 : found.high < 0;
}

/**
 * Whether an interval lies outside the range from zero to the far end of the control's own interval. True if that
 * interval includes zero.
 */
function clears(interval: Interval, own: Interval | null): boolean {
  if (!own || !excludesZero(own)) return true;
  return own.low > 0 ? interval.high < 0 || interval.low > own.high : interval.low > 0 || interval.high < own.low;
}
