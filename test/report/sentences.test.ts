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
 * Sentences that state no number: they define a term, say where numbers come from, or name a limit of the design. A sentence that
 * says what was found does not belong here: it must state the number that it was computed from.
 */
const definitions: readonly string[] = [
  'npx cdk deploy -c experiment=quick -c profile=local',
  'This could change the answer itself.',
  'This could change the size of the effect.',
  'This could change other figures than the answer.',
  'Unplanned: no experiment declares these ways, so only the first one decides.',
  'Not priced: these servers are on this machine.',
  'As EXPLAIN printed them after each trial that counts.',
  'A row with an interval has the centres of both sides instead, estimated from the pairs.',
  'It is in bold if the interval excludes zero.',
  'In the order in which they were measured.',
  'Each time is the average number of sessions in that state divided by transactions per second, so the kinds add up to clients / TPS: a transaction with its client.',
  'Parallel workers add nothing to it.',
  'TPS, cost and TPS per dollar are changes against the baseline, of all trials together: a stall costs as much as any other second.',
  'Ranges assume blocks without rare stalls.',
  'Trials in grey do not count.',
  'Checks of the trials that count.',
  'A failed check withholds the verdict.',
  'The medians are in result.json.',
  'Only the row in bold is a verdict; others describe.',
  'Its interval covers these inputs alone, not how well the formula fits.',
  'Only the metric that was declared beforehand gets a verdict; the others are descriptive.',
  'The estimate, its interval and every picture use these values and no others.',
  'From samples of pg_stat_activity over a separate connection, which does not count.',
  'CPU means that the server reports no wait: the session works, or waits for a processor.',
  'Medians of the trials that count.',
  'Over ramp-up and measured part together.',
  'Transactions that failed or were skipped have no latency.',
  'From the counters of the block device.',
  'From samples of pg_stat_replication.',
  'A lag is zero if there was nothing to wait for.',
  'Client time is what remains of a transaction’s turn (clients / TPS) without its latency, the time to connect, and the time of failed transactions.',
  'From pg_stat_statements; means of the trials that count.',
  'Times are server time only.',
  'Described in: www.brendangregg.com/usemethod.html.',
  'Values: centres over the pairs, not medians.',
  'Described in: www.postgresql.org/docs/current/wal-configuration.html, docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html.',
  'Nothing is claimed: this only describes what was measured.',
  'Values are those of the comparisons at each level.',
  'Intervals are Hodges-Lehmann intervals of the variant alone.',
  'Local volumes of limited IOPS stand in for storage of a cloud: the direction of an effect carries over, its size need not.',
  'Inconclusive in this start: the measurements do not settle how NAME compares with NAME.',
  'There is no answer in this start: NAME cannot be compared with NAME.',
  'Neither NAME nor NAME has a measurement of TPS that counts.',
  'Values are medians.',
  'So few pairs are no sample of what RDS provides: what each pair showed only describes the configurations.',
  'This treats the pairs of instances as a sample of what RDS provides; other hours, Regions and sizes were not tried.',
  'Another start, with the data loaded anew, was not tried.',
  'Other differences between them, such as their hosts and volumes, cannot be told apart from an effect of the configuration; a crossover or replicas would separate them.',
  'Stop the program that sets this machine’s clock in steps, and measure again.',
  'Of the trials that count.',
  'The spread is the standard deviation as a part of the mean.',
  'What all trials of a block share is in it, but not in the interval of the change, which compares within blocks.',
  'No verdict in this start, only a description: the order is always the same, so a change within a block looks like an effect of the variant.',
  'Order of NAME against NAME: always the same: a change within a block looks like an effect of the variant.',
];

it('a report has no sentence about what was found without a number', async () => {
  const sentences = [...new Set((await results()).flatMap(({ result }) => sentencesOf(result)))];
  const without = sentences.filter((sentence) => !statesNumber(sentence) && !definitions.includes(sentence));
  expect(without).toEqual([]);
  // A definition that no report prints any more is no longer one.
  expect(definitions.filter((sentence) => !sentences.includes(sentence))).toEqual([]);
});

it.each([
  ['It moves with the effect across the blocks.', false],
  ['Waits for p99 latency are longer.', false],
  ['It moves with the effect in 5 of 6 blocks.', true],
  ['The effect is the same in six blocks.', true],
])('"%s" states a number: %s', (sentence, states) => expect(statesNumber(sentence)).toBe(states));
