import { movableIn } from '../analysis/movable.ts';
import { checkById } from '../analysis/validity/registry.ts';
import type { Check, CheckState } from '../contract/check.ts';
import { list, nounFor } from '../contract/format.ts';
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

const stateWords = { pass: 'passed', warn: 'warned', fail: 'failed' } as const;

/** What was checked, and what could not be: sentences; empty if there is nothing of the kind. */
export interface CheckWords {
  made: string;
  unchecked: string;
}

/**
 * How many checks ended in each state, each counted by its worst case, such as `Of 16 checks, 15 passed, 1 warned.` Those that
 * could not be made are named if they bear on the answer, and otherwise not counted.
 */
export function checksInWords(result: Result, counted: ReadonlySet<string>): CheckWords {
  const subjects = checkedSubjects(result, counted);
  const made = subjects.map((subject) => worstOf(subject).state).filter((state) => state !== 'not-assessed');
  const parts = (['pass', 'warn', 'fail'] as const).flatMap((state) => {
    const count = made.filter((one) => one === state).length;
    return count === 0 ? [] : [`${count} ${stateWords[state]}`];
  });
  const isAll = made.every((state) => state === 'pass');
  const counts = isAll ? `All ${made.length} checks passed.` : `Of ${made.length} checks, ${parts.join(', ')}.`;
  return { made: made.length === 0 ? '' : counts, unchecked: uncheckedWords(subjects) };
}

/** More names than these make no sentence. */
const maxUnchecked = 3;

/** Such as `Not checked: log volume (this run uses plain folders, not volumes).` */
function uncheckedWords(subjects: readonly CheckedSubject[]): string {
  const bearing = subjects
    .filter(({ id }) => ['answer', 'size'].includes(checkById(id)?.couldChange ?? 'size'))
    .map((subject) => ({ name: subject.name, worst: worstOf(subject) }))
    .filter(({ worst }) => worst.state === 'not-assessed');
  const names = [...new Set(bearing.map(({ name }) => name))];
  const [only] = bearing;
  if (!only) return '';
  if (bearing.length === 1) return `Not checked: ${only.name} (${only.worst.finding}).`;
  const more = names.length - maxUnchecked;
  const others = more > 0 ? [`${more} ${nounFor(more, 'other')}`] : [];
  return `Not checked: ${list([...names.slice(0, maxUnchecked), ...others])}.`;
}

/** What was checked, each with all of its checks; without what the load cannot move, unless it failed. */
export function checkedSubjects(result: Result, counted: ReadonlySet<string>): CheckedSubject[] {
  const { trials, comparisons } = result;
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
  const { check: matters } = movableIn(result);
  return [...subjects.values()].filter(({ id, checks }) => matters(id) || checks.some(({ state }) => state === 'fail'));
}

export function worstOf({ checks }: CheckedSubject): CheckedSubject['checks'][number] {
  const worst = states.flatMap((state) => checks.find((check) => check.state === state) ?? [])[0];
  if (!worst) throw new Error('a subject without checks');
  return worst;
}
