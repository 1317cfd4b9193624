import type { CheckState } from '../../contract/check.ts';
import type { Result } from '../../contract/result.ts';
import { type CheckedSubject, checkedSubjects, states, worstOf } from '../checked-subjects.ts';
import { left, right, type Row, type Table } from '../media/table.ts';
import { tableSection } from './section.ts';

const statesInWords: Readonly<Record<CheckState, string>> = {
  fail: 'failed',
  warn: 'warned',
  'not-assessed': 'not checked',
  pass: 'passed',
};

/** As the heads of columns. */
const columnWords: Readonly<Record<CheckState, string>> = {
  fail: 'fail',
  warn: 'warn',
  'not-assessed': 'not checked',
  pass: 'pass',
};

/** The validity ledger: what was checked, how often each state was found, and the finding in the worst case. */
function checksTable(result: Result, counted: ReadonlySet<string>): Table {
  const subjects = checkedSubjects(result, counted);
  const worst = subjects.map((subject) => worstOf(subject).state);
  return {
    title: 'Checks',
    columns: [left('check'), left('about'), ...states.map((state) => right(columnWords[state])), left('finding')],
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
            emphasis: worst.state === 'fail' ? 'strong' : worst.state === 'not-assessed' ? 'muted' : undefined,
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
      'Checks of valid trials. A failed check withholds the verdict. Where trials differ, the table shows the worst finding.',
    ],
  };
}

function countOf({ checks }: CheckedSubject, state: CheckState): number {
  return checks.filter((check) => check.state === state).length;
}

function found({ trial, state, finding }: CheckedSubject['checks'][number]): string {
  return trial === null || state === 'pass' || state === 'not-assessed' ? finding : `${finding} (${trial})`;
}

/** What was checked. */
export const checksSection = tableSection('checks', ({ result, counted }) => checksTable(result, counted), {
  layout: 'texts',
});
