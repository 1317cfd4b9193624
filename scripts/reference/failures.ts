import { failureMeanings } from '../../runner/contract/failures.ts';
import { entry, type ReferencePage } from './page.ts';

export function failuresPage(): ReferencePage {
  return {
    file: 'docs/reference/failures.md',
    title: 'Reference: every kind of failure',
    source: 'runner/contract/failures.ts',
    introduction:
      'Why a trial, a load or a run failed, by the `code` that result.json and trial.json have, and status.json of a\n' +
      'deployed run. The message beside it has the values. Ids never change; words may.',
    body: Object.entries(failureMeanings)
      .map(([code, { meaning, remedy }]) => entry(code, [], [meaning, remedy]))
      .join('\n'),
  };
}
