import { excludesZero, type Interval, simultaneousLevel } from '../statistics/exact-interval.ts';
import type { Estimate } from './estimate.ts';

/** One comparison of a family: its estimate at whatever level is asked for. */
export interface Member<E extends Estimate> {
  /** Level that its interval would have if it were the only one. */
  level: number;
  estimateAt: (level: number) => E;
  /** What besides must hold at a level if its interval excludes zero, so that it differs. @default nothing */
  holdsAt?: (interval: Interval, level: number) => boolean;
}

export interface Judged<E extends Estimate> {
  estimate: E;
  /** Whether it is settled that the candidate differs, whatever else was compared. */
  differs: boolean;
}

/**
 * Judges several comparisons together, so that the chance of finding any difference where there is none stays what was
 * declared. The intervals hold all at once: each leaves out its share of the error (Bonferroni). Which candidates differ is
 * decided step by step (Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure"): what is found to differ
 * leaves its share to the rest. Where only a later step finds it, the interval ends at zero instead of including it
 * (Guilbaud 2008, "Simultaneous confidence regions corresponding to Holm's step-down procedure"). Assumes nothing about how
 * the comparisons depend on each other.
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
  const { interval } = estimateAt(own);
  return interval !== null && excludesZero(interval) && holdsAt(interval, own);
}

function endAtZero<E extends Estimate>(estimate: E): E {
  const { interval, change } = estimate;
  if (!interval || change === null || excludesZero(interval)) return estimate;
  return {
    ...estimate,
    interval:
      change > 0 ? { ...interval, low: Math.max(0, interval.low) } : { ...interval, high: Math.min(0, interval.high) },
  };
}
