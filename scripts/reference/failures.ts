import { warningMeanings } from '../../runner/contract/warnings.ts';
import { failureMeanings } from '../../runner/contract/failures.ts';
import type { Meaning } from '../../runner/contract/meaning.ts';
import { probes } from '../../runner/contract/probes.ts';
import { problemRules } from '../../runner/contract/problem-rules.ts';
import { stopMeanings } from '../../runner/contract/stop.ts';
import { findingMeanings } from '../../runner/contract/verification.ts';
import { withheldMeanings } from '../../runner/contract/withheld.ts';
import { entry, type ReferencePage, sentence } from './page.ts';

export function failuresPage(): ReferencePage {
  const rules = Object.entries(problemRules).map(([id, [meaning, remedy]]) => [id, { meaning, remedy }] as const);
  return {
    file: 'docs/reference/failures.md',
    title: 'Reference: what failed, and what to do',
    source: 'runner/contract/',
    introduction:
      'Look up an id of a failure, a warning or a broken rule. The message beside an id has the values. Ids never change; words may.\n' +
      '`npx pgduet explain ID` shows the same.',
    body: [
      '## Failures',
      'Why a trial, a load or a run failed, by the `code` that result.json and trial.json have, and status.json of a deployed\n' +
        'run. A command that fails with `--json` prints `{"error": {"code", "message", "remedy"}}`, unless it has printed its\n' +
        'result; of an experiment with problems, `problems` as well.',
      list(failureMeanings),
      '## Findings of verify',
      'What `pgduet verify` can find wrong, by the `id` in `findings` of `--json`.',
      list(findingMeanings),
      '## Probes of doctor',
      'What `pgduet doctor` and the pre-flight of a driver check, by the `id` in `--json`. Each has a `state` as checks have:\n' +
        '`pass`, `warn`, `fail` or `not-assessed`.',
      list(probes),
      '## Warnings',
      'What a plan, a run, a trial or a comparison warns of, by the `id` in `warnings` of `--json`, result.json and trial.json.\n' +
        'Of what a check finds, it is the id of the check.',
      list(warningMeanings),
      '## Reasons without a verdict',
      'Why a comparison has no verdict, by the `id` in `withheld` of result.json and report.json. Of a failed check, it is the id of\n' +
        'the check.',
      list(withheldMeanings),
      '## Early ends of runs',
      'What ended a run early, by the `id` in `stoppedBy` of result.json.',
      list(stopMeanings),
      '## Rules of experiment files',
      'What an experiment must fulfil, by the `rule` of a problem.',
      list(Object.fromEntries(rules)),
    ].join('\n\n'),
  };
}

function list(meanings: Readonly<Record<string, Meaning>>): string {
  return Object.entries(meanings)
    .map(([id, { meaning, remedy }]) => entry(id, [], [sentence(meaning), remedy]))
    .join('\n');
}
