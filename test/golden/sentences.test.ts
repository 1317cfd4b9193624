import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type OpenedResult, openFolder } from '../../runner/analysis/open-result.ts';
import { changedSample, publishedStudy } from '../helpers/samples/changed-sample.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { sentencesOf, statesNumber } from '../helpers/shown/sentences.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/results');
const same = { alpha: 1, beta: 1 };

function results(): Promise<OpenedResult[]> {
  const folders = readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Promise.all([
    ...folders.map(({ name }) => openFolder(path.join(fixtures, name))),
    sampleRun(),
    sampleRun({ variants: same }),
    sampleRun({ variants: same, decision: { practicalThreshold: 0.001 } }),
    sampleRun({ variants: { ...same, gamma: 0.7 } }),
    sampleRun({ decision: { metric: 'latency.p99' } }),
    sampleRun({ blocks: 2 }),
    sampleRun({ silent: true }),
    sampleRun({ failedTrial: { block: 2, variant: 'with-log-volume' } }),
    sampleRun({ repeatedBlock: { block: 3, factor: 2 } }),
    publishedStudy(),
    fullRun(),
    fullRun([2, 4], 6),
    crossedSample({ blocks: 12, exchanges: 1 }),
    crossedSample({ blocks: 18 }),
    replicatedRun([1, 1.1, 0.9], { variants: { alpha: 1, beta: 1.3 } }),
    replicatedRun([1, 1.1, 0.9, 1.05, 0.95, 1], { variants: { alpha: 1, beta: 1.3 } }),
    changedSample({}, (recorded) => deployWithCosts(recorded)),
    changedSample({}, ({ trials }) => trials.forEach((trial) => (trial.checks = [failedCheck]))),
    changedSample({}, ({ run }) => (run.experiment.definition.protocol.order = 'fixed')),
    changedSample({}, ({ trials }) =>
      trials.forEach(
        (trial) => (trial.checks = [{ id: 'clock', name: 'clock', state: 'warn', finding: 'set by 2 s' }]),
      ),
    ),
  ]);
}

/**
 * These define a term, say where numbers come from, or name a limit of the design. A sentence that says what was found does not
 * belong here: it must state the number that it was computed from.
 */
it('sentences without a number are those that we know', async () => {
  const sentences = [...new Set((await results()).flatMap(({ result }) => sentencesOf(result)))];
  const without = sentences.filter((sentence) => !statesNumber(sentence)).sort();
  await expect(without.join('\n').concat('\n')).toMatchFileSnapshot('answers/sentences-without-numbers.txt');
});

it.each([
  ['It moves with the effect across the blocks.', false],
  ['Waits for p99 latency are longer.', false],
  ['It moves with the effect in 5 of 6 blocks.', true],
  ['The effect is the same in six blocks.', true],
])('"%s" states a number: %s', (sentence, states) => expect(statesNumber(sentence)).toBe(states));
