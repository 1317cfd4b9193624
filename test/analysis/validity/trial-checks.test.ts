import { describe, expect, it } from 'vitest';
import { checkTrial } from '../../../runner/analysis/validity/judge-validity.ts';
import type { TrialContext } from '../../../runner/analysis/validity/check.ts';
import type { Check, CheckState } from '../../../runner/contract/check.ts';
import type { Protocol } from '../../../runner/contract/experiment/schema.ts';
import type { Measures } from '../../../runner/contract/metric.ts';
import type { LoggedCheckpoint } from '../../../runner/contract/server-facts.ts';
import type { Facts, Trial } from '../../../runner/contract/trial.ts';
import { placeNamed } from '../../../runner/places/registry.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { asSeries } from '../../../runner/storage/series.ts';
import { pgbench } from '../../../runner/workloads/pgbench/definition.ts';
import { pgbenchSchema } from '../../../runner/workloads/pgbench/schema.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';
import { type FoundCase, keepsFindings } from '../../helpers/shown/findings.ts';

const { run, trials, rows } = recordSample({ trialSeconds: 120 });
const { definition } = run.experiment;
const workload = pgbenchSchema.parse(definition.workload);
const [first] = trials;
if (first?.state !== 'finished') throw new Error('the sample has a finished trial');
const [sample, ownRows] = [first, rows.get(first.id) ?? []];

const local: TrialContext = {
  experiment: definition,
  place: placeNamed('local'),
  settings: { checkpoint_timeout: '30 (s)' },
  shape: pgbench.shape(workload),
  loadedBytes: pgbench.durations(workload).bytes,
  series: asSeries(ownRows),
};
const deployed: TrialContext = { ...local, place: placeNamed('deployed') };

function withProtocol(protocol: Partial<Protocol>, context = local): TrialContext {
  return { ...context, experiment: { ...definition, protocol: { ...definition.protocol, ...protocol } } };
}

function withTimeout(checkpointTimeout: string, context = local): TrialContext {
  return { ...context, settings: { checkpoint_timeout: checkpointTimeout } };
}

function withSeries(name: string, valueAt: (second: number) => number): TrialContext {
  const changed = ownRows.map((row) => (row.name === name ? { ...row, value: valueAt(row.second) } : row));
  return { ...local, series: asSeries(changed) };
}

/** The trial of the sample as a run leaves it, with changes. */
function trial(measures: Measures = {}, facts: Facts = {}): Trial {
  const driver = {
    'driver.busy': 0.4,
    'driver.others': 0,
    'driver.clockStep': 0,
    'driver.runnerStall': 0,
    'driver.runnerProcessors': 0,
  };
  return {
    ...sample,
    measures: withDerived({ ...sample.measures, ...driver, ...measures }, local.series),
    facts: { ...sample.facts, ...facts },
  };
}

function checkOf(id: string, of: Trial, context = local): Check | undefined {
  return checkTrial(of, context).find((check) => check.id === id);
}

/** What is checked, its trial, and what a check must say of it: its state, and figures of its finding. */
type Case = [about: string, of: Trial, state: CheckState | undefined, context?: TrialContext, figures?: RegExp];

const kept: FoundCase[] = [];

function judges(id: string, cases: readonly Case[]): void {
  for (const [about, of, , context] of cases) kept.push({ id, about, judge: () => checkOf(id, of, context) });
  it.each(cases)(`${id}: %s`, (_, of, state, context = local, figures = /^/) => {
    const check = checkOf(id, of, context);
    expect(check?.state).toBe(state);
    expect(check?.finding ?? '').toMatch(figures);
  });
}

const silentFacts = { ...trial(), facts: {} };
const event = (kind: 'backup' | 'other') => trial({}, { events: [{ at: '2026-11-21T08:00:00Z', kind, text: 'x' }] });
const others = (share: number, more: Measures = {}) =>
  trial({ 'driver.others': share, ...more }, { neighbours: [{ name: 'yes', processors: share * 2 }] });
const quiet = withProtocol({ quietMachine: 'required' });
const asleep = (awake: number, busy: number) => trial({ 'driver.awake': awake, 'driver.busy': busy });

describe('the server, its counters and its machine', () => {
  it('have nothing to say of a trial that went as it should', () => {
    expect(checkTrial(trial(), local).filter(({ state }) => state !== 'pass')).toEqual([]);
  });

  judges('restart-or-failover', [
    ['another server took over', trial({}, { restarted: true }), 'fail'],
    ['nobody looked', silentFacts, 'not-assessed'],
  ]);
  judges('backup-maintenance-storage', [
    ['a backup', event('backup'), 'fail', deployed],
    ['an event that disturbs nothing', event('other'), 'pass', deployed],
    ['work on its volumes', trial({}, { events: [], storageWork: ['initializing'] }), 'fail', deployed],
    ['events unknown', trial(), 'not-assessed', deployed],
    ['a local server has none', trial(), undefined],
  ]);
  judges('counters', [
    ['reset', trial({}, { counterProblems: ['the counters of wal were reset'] }), 'warn'],
    ['not read', { ...trial(), measures: { tps: 9 } }, 'not-assessed'],
  ]);
  judges('clock', [
    ['0.05 s', trial({ 'driver.clockStep': 0.05 }), 'pass'],
    ['-0.4 s', trial({ 'driver.clockStep': -0.4 }), 'warn'],
    ['-3 s', trial({ 'driver.clockStep': -3 }), 'fail'],
  ]);
  const full = { 'driver.busy': 0.07, 'driver.loadGeneratorBusy': 1, tps: 96_000, 'load.ceiling': 1_621_200 };
  judges('drivers-processors', [
    ['half busy', trial({ 'driver.busy': 0.5 }), 'pass'],
    ['half busy, on a driver', trial({ 'driver.busy': 0.5 }), 'pass', deployed],
    ['85%', trial({ 'driver.busy': 0.85 }), 'pass'],
    ['85%, on a driver', trial({ 'driver.busy': 0.85 }), 'warn', deployed],
    ['99%', trial({ 'driver.busy': 0.99 }), 'warn'],
    ['99%, on a driver', trial({ 'driver.busy': 0.99 }), 'fail', deployed],
    ['full threads of the load generator', trial(full), 'warn', local, / 100%/],
    ['full threads, on a large driver', trial(full), 'fail', deployed, / 100%/],
  ]);
  judges('other-programs', [
    ['2%', others(0.02), 'pass', local, /yes 0\.04/],
    ['10%', others(0.1), 'warn', local, /yes 0\.20/],
    ['half, on a driver', others(0.5), 'warn', deployed, /50%/],
    ['14%, if it must be quiet', others(0.14), 'warn', quiet],
    ['14 and 5% of other machines, if it must', others(0.14, { 'driver.steal': 0.05 }), 'fail', quiet, /19%.* 5%/],
    ['90%, on a driver', others(0.9), 'warn', { ...quiet, place: deployed.place }],
  ]);
  judges('sleeping-processors', [
    ['kept awake', asleep(1, 0.4), 'pass'],
    ['busy', asleep(0, 0.95), 'pass'],
    ['idle', asleep(0, 0.4), 'warn', local, /^60%/],
    ['idle, on a driver', asleep(0, 0.4), undefined, deployed],
  ]);
  judges('transactions', [
    ['lost some', trial({ 'transactions.failed': 1200, 'transactions.skipped': 3 }), 'warn', local, /^1,200 .* 3 /],
  ]);
  judges('autovacuum', [
    ['came', trial({ 'database.autovacuums': 1, 'database.autoanalyzes': 1 }), 'warn', local, /2 tables/],
    ['unknown', trial({ 'database.autovacuums': null }), 'not-assessed'],
  ]);
  const sliced = (share: number) => trial({ 'load.stopped': 0.5, 'load.stoppedShare': share, 'progress.silence': 0 });
  judges('silent-seconds', [
    ['in 2% of many short slices', sliced(0.02), 'pass'],
    ['in 5%', sliced(0.05), 'warn', local, /5%/],
    ['in 74%', sliced(0.74), 'fail', local, /74%/],
  ]);
});

describe('pgduet itself', () => {
  const observed = { 'driver.runnerStall': 0.02, 'driver.runnerProcessors': 0.01, 'load.processSeconds': 60 };
  const of = (measures: Measures) => trial({ ...observed, 'driver.window': 60.1, 'collect.window': 60.3, ...measures });
  judges('runner', [
    ['hardly there', of({}), 'pass', local, /0\.02 s.* 1%/],
    ['a little late', of({ 'driver.runnerStall': 0.9, 'driver.window': 60.8, 'collect.window': 64 }), 'pass'],
    ['stood still for less than 3% of a minute', of({ 'driver.runnerStall': 1.7 }), 'pass'],
    ['stood still for more', of({ 'driver.runnerStall': 1.9 }), 'fail', local, /1\.9 s/],
    ['counters 5% late', of({ 'driver.window': 62.9 }), 'pass'],
    ['counters half as late again', of({ 'driver.window': 90 }), 'fail', local, /90\.0 s.* 60\.0 s/],
    // A busy machine: what pgbench counted is what it was.
    ['counters a little late', of({ 'driver.window': 64 }), 'warn', local, /64\.0 s.* 60\.0 s/],
    ['counters of the server late', of({ 'collect.window': 70 }), 'warn', local, /70\.0 s.* 60\.0 s/],
    ['took 7%', of({ 'driver.runnerProcessors': 0.07 }), 'warn', local, /7%/],
    ['took 20%', of({ 'driver.runnerProcessors': 0.2, 'driver.runnerStall': 3 }), 'fail', local, /20%.* 3\.0 s/],
    ['not observed', of({ 'driver.runnerStall': null }), 'not-assessed'],
  ]);

  const after = (seconds: number): Trial => {
    const warmUpStartedAt = '2026-11-25T12:00:00Z';
    const startedAt = new Date(Date.parse(warmUpStartedAt) + (3 + seconds) * 1000).toISOString();
    return { ...trial(observed), startedAt, warmUpStartedAt };
  };
  const [here, there] = [local, deployed].map((context) => withProtocol({ warmUpSeconds: 3 }, context));
  judges('runner', [
    ['1.9 s between warm-up and measured part', after(1.9), 'pass', here],
    ['2.1 s', after(2.1), 'warn', here, / 2\.1 s/],
    ['5.1 s', after(5.1), 'fail', here, / 5\.1 s/],
    // Sources that ask AWS take longer to start.
    ['4.9 s, on a driver', after(4.9), 'pass', there],
    ['9.9 s, on a driver', after(9.9), 'warn', there],
    ['10.1 s, on a driver', after(10.1), 'fail', there],
  ]);

  it.each<[string, Measures, string | undefined]>([
    ['stood still', { 'driver.runnerStall': 5 }, 'suspended-driver'],
    ['took much', { 'driver.runnerProcessors': 0.3, 'load.processSeconds': 60 }, 'busy-driver'],
    // What puts the load on from within pgduet is no disturbance of it.
    ['is the load', { 'driver.runnerProcessors': 0.3, 'driver.runnerStall': 0 }, undefined],
  ])('that %s names why its block may be measured again, if it may', (_, measures, outside) => {
    const { 'load.processSeconds': __, ...alone } = observed;
    expect(checkOf('runner', trial({ ...alone, ...measures }))?.outside).toBe(outside);
  });
});

describe('the time of the client', () => {
  /** Measured latency as a share of clients / TPS. */
  const latency = (share: number) => trial({ 'latency.average': (sample.measures['client.turn'] ?? NaN) * share });
  const { durationSeconds: _, ...endless } = workload;
  const counted = { ...local, shape: pgbench.shape({ ...endless, transactions: 20 }) };
  // As measured with pgbench -C: 6.547 ms of latency, 40.826 ms to connect, 32 clients.
  const reconnecting = (connecting: Measures) =>
    trial({ 'client.turn': 0.0475, 'latency.average': 0.006547, ...connecting });
  const failing = (failed: Measures) =>
    trial({ 'client.turn': 0.01, 'latency.average': 0.0037, 'transactions.failed': 310, ...failed });
  judges('client-time', [
    ['9%', latency(0.91), 'pass', local, /^9%/],
    ['none', latency(1.02), 'pass', local, /^none/],
    ['15%', latency(0.85), 'warn', local, /^15%/],
    ['60%', latency(0.4), 'fail', local, /^60%/],
    ['of which connecting is unknown', reconnecting({}), 'fail', local, /^86%/],
    ['nearly all to connect', reconnecting({ 'latency.connection': 0.040826 }), 'pass', local, /^0\.3%/],
    ['a part of it to connect', reconnecting({ 'latency.connection': 0.01 }), 'fail', local, /^65%/],
    ['of failed transactions', failing({ 'client.failed': 0.0061 }), 'pass', local, /^2%/],
    ['hardly of failed transactions', failing({ 'client.failed': 0.0001 }), 'fail', local, /^62%/],
    ['of failed transactions, unknown', failing({}), 'not-assessed', local, /^310/],
    // Clients that are done early wait for the others.
    ['62% with a number of transactions', latency(0.38), 'warn', counted, /^62%/],
    ['9% with a number of transactions', latency(0.91), 'pass', counted],
    ['waiting for a schedule', latency(0.4), undefined, { ...local, shape: pgbench.shape({ ...workload, rate: 9 }) }],
  ]);
});

const unlogged = { checkpoints: [] };
const checkpoint = (startedAt: number, endedAt: number | null = null, restartpoint = false): LoggedCheckpoint => ({
  ...{ startedAt, endedAt, restartpoint },
  ...{ reason: 'wal', buffers: null, writeSeconds: null, syncSeconds: null },
});
const begun = (...at: number[]) => trial({}, { checkpoints: at.map((one) => checkpoint(one)) });
const none = { 'checkpoints.timed': 0, 'checkpoints.requested': 0 };
const readOnly = { ...none, 'wal.bytes': 6000 };
const slow = withTimeout('5 (min)');

describe('the cycle of checkpoints', () => {
  judges('checkpoint-cycle', [
    ['none, in less than a cycle', trial(none, unlogged), 'warn', slow, /120 s.* 300 s/],
    ['none, in more than a cycle', trial(none, unlogged), 'pass'],
    ['some counted', trial({}, unlogged), 'pass', slow, /^2 /],
    ['some logged', trial(), 'pass', slow, /^4 whole/],
    ['nothing written', trial(readOnly, unlogged), 'pass', slow],
    ['nothing written under one', trial(readOnly, { checkpoints: [checkpoint(-10)] }), 'pass', slow],
    // The first began before the trial, and all are under way for all of it.
    ['under one all the time', begun(-10), 'warn'],
    ['one began', begun(-10, 80), 'warn'],
    ['two began', begun(-10, 40, 90), 'pass', local, /^1 whole/],
    ['one began, at a phase that was drawn', begun(-10, 80), 'pass', withProtocol({ phaseSeconds: 90 })],
    ['one began, at one of few phases', begun(-10, 80), 'warn', withProtocol({ phaseSeconds: 30 })],
  ]);
});

describe('throughput within a trial', () => {
  const still = withSeries('tps', (second) => 1000 + ((second * 7919) % 13));
  const falling = withSeries('tps', (second) => (second < 43 ? 1000 : 620));
  const slightly = withSeries('tps', (second) => (second < 60 ? 1000 : 980) + ((second * 7919) % 13));
  const rising = (until: number) => withSeries('tps', (second) => 1000 + 5 * Math.min(second, until));
  const rate = { ...local.shape, offeredPerSecond: 9 };
  const slower = { ...withSeries('latency.average', (second) => (second < 43 ? 0.01 : 0.02)), shape: rate };
  const decidedBy = (metric: string): TrialContext => ({
    ...slightly,
    experiment: { ...definition, decision: { ...definition.decision, metric, practicalThreshold: 0.001 } },
  });
  const whole = trial({}, { checkpoints: [checkpoint(-1, 3), checkpoint(5, 9), checkpoint(9, 13)] });
  const short = { ...withTimeout('300 (s)', still), series: asSeries(ownRows.filter(({ second }) => second < 12)) };
  const starting = (restartpoint: boolean, ...at: number[]) =>
    trial({}, { checkpoints: at.map((one) => checkpoint(one, one + 30, restartpoint)) });
  const long = withTimeout('300 (s)', still);
  judges('steady-state', [
    ['rises to the end', trial(), 'warn', rising(Infinity), /\d+%/],
    ['rises until second 60', trial(), 'warn', rising(60), / 29% .* 60/],
    ['falls at second 43', trial(), 'warn', falling, / 38% .* 43.* warm-up/],
    ['falls in a part of a cycle', begun(42), 'warn', falling, / 43.* cycles/],
    ['begins with nothing', trial(), 'warn', withSeries('tps', (s) => (s < 43 ? 0 : 620)), / 43/],
    ['is offered, and latency rises', trial(), 'warn', slower, / 100% .* 43/],
    ['falls by more than matters', trial(), 'warn', decidedBy('tps'), / 2%/],
    // A threshold in points of a share is none of a throughput.
    ['falls, where a share decides', trial(), 'pass', decidedBy('latency.withinLimit')],
    ['keeps its level', trial({}, unlogged), 'pass', still],
    ['keeps it for less than a cycle', trial({}, unlogged), 'not-assessed', long, /119 s.* 300 s/],
    ['falls in less than a cycle', trial({}, unlogged), 'warn', withTimeout('300 (s)', falling), /38% .* 43/],
    ['keeps its level over a whole cycle', whole, 'pass', long],
    ['keeps it under one checkpoint', begun(-1), 'not-assessed', long],
    ['keeps it for 12 s', whole, 'pass', short, / 20%/],
    ['keeps it without writing', trial(readOnly, unlogged), 'pass', withTimeout('5 (min)', still)],
    // A cycle lasts from the start of one checkpoint to the next, whatever started it, but on the server itself.
    ['keeps it with one start', starting(false, 40), 'not-assessed', long],
    ['keeps it with one start in the trial', starting(false, -20, 40), 'not-assessed', long],
    ['keeps it with two', starting(false, 40, 100), 'pass', long],
    ['keeps it with two of a standby', starting(true, 40, 100), 'not-assessed', long],
  ]);
});

keepsFindings('of-a-trial', kept);
