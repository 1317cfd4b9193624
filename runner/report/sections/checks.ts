import type { Check, CheckState, Effect } from '../../contract/check.ts';
import type { Result } from '../../contract/result.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { capitalise } from '../../contract/format.ts';
import type { Doubt } from './doubts.ts';
import { left, right, type Row, type Table } from '../media/table.ts';
import { checkById } from '../../analysis/validity/registry.ts';
import { tableSection } from './section.ts';

/** One check of one subject: all trials, or one pair of variants. */
interface CheckedSubject {
  id: string;
  name: string;
  subject: string;
  /** Each check with the id of its trial; null for a check of a pair. */
  checks: (Check & { trial: string | null })[];
}

const states: readonly CheckState[] = ['fail', 'warn', 'not assessed', 'pass'];
const statesInWords: Readonly<Record<CheckState, string>> = {
  fail: 'failed',
  warn: 'warned',
  'not assessed': 'not assessed',
  pass: 'passed',
};

/** The validity ledger: what was checked, how often each state was found, and the finding in the worst case. */
function checksTable(result: Result, counted: ReadonlySet<string>): Table {
  const subjects = checkedSubjects(result, counted);
  const worst = subjects.map((subject) => worstOf(subject).state);
  return {
    title: 'What was checked',
    columns: [left('check'), left('about'), ...states.map((state) => right(state)), left('finding')],
    rows: subjects
      .map((subject): [number, Row] => {
        const worst = worstOf(subject);
        return [
          states.indexOf(worst.state),
          {
            cells: [
              subject.name,
              subject.subject,
              ...states.map((state) => String(countOf(subject, state) || '')),
              found(worst),
            ],
            emphasis: worst.state === 'fail' ? 'strong' : worst.state === 'not assessed' ? 'muted' : undefined,
            tone: worst.state === 'fail' ? 'bad' : undefined,
          },
        ];
      })
      .sort(([a], [b]) => a - b)
      .map(([, row]) => row),
    summary: states
      .map((state) => [worst.filter((one) => one === state).length, statesInWords[state]] as const)
      .filter(([count]) => count > 0)
      .map(([count, words]) => `${count} ${words}`)
      .join(', '),
    notes: [
      'Checks of the trials that count. A failed check withholds the verdict. If findings differ, the table shows one of the worst.',
    ],
  };
}

/** A doubt for each check that warns, or that failed without withholding a verdict. */
export function checkDoubts(result: Result, counted: ReadonlySet<string>): Doubt[] {
  const withheld = result.comparisons.flatMap(({ withheldBy = [] }) => withheldBy);
  return (['fail', 'warn'] as const).flatMap((state) =>
    checkedSubjects(result, counted).flatMap((subject): Doubt[] => {
      const own = subject.checks.filter((check) => check.state === state);
      const [first] = own;
      if (!first) return [];
      // The answer already says it.
      if (state === 'fail' && withheld.some(({ check, finding }) => check === first.id && finding === first.finding))
        return [];
      const where =
        own.length > 1
          ? ` (${first.trial ?? ''} and ${own.length - 1} more of ${subject.checks.length} trials)`
          : subject.checks.length > 1
            ? ` (${first.trial ?? ''})`
            : '';
      const about = first.trial === null ? `${subject.name} of ${subject.subject}` : subject.name;
      const sentence = `${state === 'fail' ? 'Failed check: ' : ''}${about}: ${first.finding}${where}.`;
      return [{ id: subject.id, effect: effectOfCheck(subject.id, state), sentence: capitalise(sentence) }];
    }),
  );
}

/** How many checks ended in each state, each counted by its worst case, such as `16 checks passed, 1 warned`. */
export function checksInWords(result: Result, counted: ReadonlySet<string>): string {
  const worst = checkedSubjects(result, counted).map((subject) => worstOf(subject).state);
  const words: Record<CheckState, string> = {
    pass: 'passed',
    warn: 'warned',
    fail: 'failed',
    'not assessed': 'could not be assessed',
  };
  const parts = (['pass', 'warn', 'fail', 'not assessed'] as const).flatMap((state) => {
    const count = worst.filter((one) => one === state).length;
    return count === 0 ? [] : [`${count} ${words[state]}`];
  });
  if (worst.every((state) => state === 'pass')) return worst.length === 0 ? '' : `All ${worst.length} checks passed.`;
  return `Of ${worst.length} checks, ${parts.join(', ')}.`;
}

function checkedSubjects({ trials, comparisons }: Result, counted: ReadonlySet<string>): CheckedSubject[] {
  const subjects = new Map<string, CheckedSubject>();
  const add = (subject: string, trial: string | null, check: Check): void => {
    const key = `${check.id}\n${subject}`;
    const known = subjects.get(key) ?? { id: check.id, name: check.name, subject, checks: [] };
    known.checks.push({ ...check, trial });
    subjects.set(key, known);
  };
  for (const { baseline, candidate, conditions, checks } of comparisons) {
    const subject = `${candidate.variant} against ${baseline.variant}${levelSuffix(conditions)}`;
    for (const check of checks) add(subject, null, check);
  }
  for (const { id, checks } of trials) {
    if (counted.has(id)) for (const check of checks) add('trials', id, check);
  }
  return [...subjects.values()];
}

function worstOf({ checks }: CheckedSubject): CheckedSubject['checks'][number] {
  const worst = states.flatMap((state) => checks.find((check) => check.state === state) ?? [])[0];
  if (!worst) throw new Error('a subject without checks');
  return worst;
}

function countOf({ checks }: CheckedSubject, state: CheckState): number {
  return checks.filter((check) => check.state === state).length;
}

function found({ trial, state, finding }: CheckedSubject['checks'][number]): string {
  return trial === null || state === 'pass' || state === 'not assessed' ? finding : `${finding} (${trial})`;
}

/**
 * A check that failed could change the answer, whatever it checks: either the answer was withheld for that, or the
 * failure was tolerated.
 */
function effectOfCheck(id: string, state: 'fail' | 'warn'): Effect {
  return state === 'fail' ? 'answer' : (checkById(id)?.couldChange ?? 'size');
}

/** What was checked. */
export const checksSection = tableSection('checks', ({ result, counted }) => checksTable(result, counted), {
  layout: 'texts',
});
