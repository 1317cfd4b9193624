import type { Check, CheckState } from '../contract/check.ts';
import type { Result } from '../contract/result.ts';
import { levelSuffix } from '../contract/trial.ts';

/** One check of one subject: all trials, or one pair of variants. */
export interface CheckedSubject {
  id: string;
  name: string;
  subject: string;
  /** Each check with the id of its trial; null for a check of a pair. */
  checks: (Check & { trial: string | null })[];
}

/** The worst first. */
export const states: readonly CheckState[] = ['fail', 'warn', 'not-assessed', 'pass'];

/** How many checks ended in each state, each counted by its worst case, such as `16 checks passed, 1 warned`. */
export function checksInWords(result: Result, counted: ReadonlySet<string>): string {
  const worst = checkedSubjects(result, counted).map((subject) => worstOf(subject).state);
  const words: Record<CheckState, string> = {
    pass: 'passed',
    warn: 'warned',
    fail: 'failed',
    'not-assessed': 'could not be assessed',
  };
  const parts = (['pass', 'warn', 'fail', 'not-assessed'] as const).flatMap((state) => {
    const count = worst.filter((one) => one === state).length;
    return count === 0 ? [] : [`${count} ${words[state]}`];
  });
  if (worst.every((state) => state === 'pass')) return worst.length === 0 ? '' : `All ${worst.length} checks passed.`;
  return `Of ${worst.length} checks, ${parts.join(', ')}.`;
}

/** What was checked, each with all of its checks. */
export function checkedSubjects({ trials, comparisons }: Result, counted: ReadonlySet<string>): CheckedSubject[] {
  const subjects = new Map<string, CheckedSubject>();
  const add = (subject: string, trial: string | null, check: Check): void => {
    const key = `${check.id}\n${subject}`;
    const known = subjects.get(key) ?? { id: check.id, name: check.name, subject, checks: [] };
    known.checks.push({ ...check, trial });
    subjects.set(key, known);
  };
  for (const { baseline, candidate, conditions, checks } of comparisons) {
    const subject = `${candidate.variant} vs ${baseline.variant}${levelSuffix(conditions)}`;
    for (const check of checks) add(subject, null, check);
  }
  for (const { id, checks } of trials) {
    if (counted.has(id)) for (const check of checks) add('trials', id, check);
  }
  return [...subjects.values()];
}

export function worstOf({ checks }: CheckedSubject): CheckedSubject['checks'][number] {
  const worst = states.flatMap((state) => checks.find((check) => check.state === state) ?? [])[0];
  if (!worst) throw new Error('a subject without checks');
  return worst;
}
