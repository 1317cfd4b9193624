import type { CheckDefinition } from '../../runner/analysis/validity/check.ts';
import { doubtDefinitions } from '../../runner/analysis/validity/doubts.ts';
import { everyCheck, pairChecks, trialChecks } from '../../runner/analysis/validity/registry.ts';
import type { Effect } from '../../runner/contract/check.ts';
import { entry, type ReferencePage } from './page.ts';

export function checksPage(): ReferencePage {
  const known: readonly CheckDefinition[] = [...trialChecks, ...pairChecks];
  const list = (checks: readonly CheckDefinition[]): string => checks.map(entryOf).join('\n');
  return {
    file: 'docs/reference/checks.md',
    title: 'Reference: every check',
    source: 'runner/analysis/validity/',
    introduction:
      'Each check by the `id` that result.json, report.json and `compare --json` have, with its name in reports, what a\n' +
      'warning of it could change, and what to do if it fails. A failed check withholds the verdict. Ids never change;\n' +
      'names may.',
    body: [
      '## Of a trial',
      list(trialChecks),
      '## Of two variants',
      list(pairChecks),
      '## Of controls, of sides that are not of one run, and of files',
      list(everyCheck.filter((check) => !known.includes(check))),
      '## Doubts that no check raises',
      'Each by the `id` that report.json has, with what it could change, and what to do about it.',
      Object.values(doubtDefinitions)
        .map(({ id, name, couldChange, remedy }) =>
          entry(id, [name, changed[couldChange].replace('a warning ', '')], [remedy]),
        )
        .join('\n'),
    ].join('\n\n'),
  };
}

const changed: Readonly<Record<Effect, string>> = {
  answer: 'a warning could change the answer',
  size: 'a warning could change the size of the effect',
  'other-figures': 'a warning could change other figures than the answer',
  none: 'a warning changes no figure',
};

function entryOf({ id, name, couldChange = 'size', remedy }: CheckDefinition): string {
  return entry(id, [name, changed[couldChange]], [remedy]);
}
