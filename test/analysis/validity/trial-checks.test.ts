import { describe, expect, it } from 'vitest';
import { checkTrial } from '../../../runner/analysis/validity/judge-validity.ts';
import type { TrialContext } from '../../../runner/analysis/validity/check.ts';
import type { Measures } from '../../../runner/contract/metric.ts';
import type { Facts, Trial } from '../../../runner/contract/trial.ts';
import { placeNamed } from '../../../runner/places/registry.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { asSeries } from '../../../runner/storage/series.ts';
import { pgbench } from '../../../runner/workloads/pgbench/definition.ts';
import { pgbenchSchema } from '../../../runner/workloads/pgbench/schema.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';

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

function found(name: string, of: Trial, context = local): string | undefined {
  const check = checkTrial(of, context).find((one) => one.name === name);
  return check && `${check.state}: ${check.finding}`;
}

describe('the checks of a trial', () => {
  it('find nothing in a trial that went as it should', () => {
    expect(checkTrial(trial(), local).filter(({ state }) => state !== 'pass')).toEqual([]);
  });

  it('fail where the server started anew', () => {
    expect(found('restart or failover', trial({}, { restarted: true }))).toMatch(/^fail: the server restarted/);
    expect(found('restart or failover', { ...trial(), facts: {} })).toMatch(/^not assessed/);
  });

  it('fail where RDS tells of a backup, failover or maintenance, and pass over other events', () => {
    const at = '2026-11-21T08:00:00Z';
    const event = (kind: 'backup' | 'other', text: string) => trial({}, { events: [{ at, kind, text }] });
    const name = 'backup, maintenance, storage';
    expect(found(name, event('backup', 'Backing up DB instance'), deployed)).toBe(
      'fail: in the trial or its warm-up, there was a backup (Backing up DB instance)',
    );
    expect(found(name, event('other', 'Tagged'), deployed)).toMatch(/^pass/);
    const initialising = trial({}, { events: [], storageWork: ['storage initializing, 40% done'] });
    expect(found(name, initialising, deployed)).toBe(
      'fail: in the trial or its warm-up, there was work on its volumes (storage initializing, 40% done)',
    );
    expect(found(name, trial(), deployed)).toMatch(/^not assessed/);
    expect(found(name, trial())).toBeUndefined();
  });

  it('warn of counters that were reset, and say where none were read', () => {
    const reset = trial({}, { counterProblems: ['the counters of wal were reset during the trial'] });
    expect(found('counters', reset)).toBe('warn: the counters of wal were reset during the trial');
    expect(found('counters', { ...trial(), measures: { tps: 9 } })).toMatch(/^not assessed/);
  });

  it.each([
    [0.05, 'pass'],
    [-0.4, 'warn'],
    [-3, 'fail'],
  ])('judge a clock that was set by %d s: %s', (clockStep, state) => {
    expect(found('clock', trial({ 'driver.clockStep': clockStep }))).toMatch(new RegExp(`^${state}`));
  });

  it.each([
    [0.5, 'pass', 'pass'],
    [0.85, 'pass', 'warn'],
    [0.99, 'warn', 'fail'],
  ])('judge processors that were busy for %d of the time: %s where servers share them, %s on a driver', (...of) => {
    const [share, here, there] = of;
    const busy = trial({ 'driver.busy': share });
    expect(found('driver’s processors', busy)).toMatch(new RegExp(`^${here}`));
    expect(found('driver’s processors', busy, deployed)).toMatch(new RegExp(`^${there}`));
  });

  it.each([
    [0.02, 'pass', 'pass'],
    [0.1, 'warn', 'warn'],
    [0.5, 'warn', 'warn'],
  ])('name other programs that took %d of the processors: %s here, %s on a driver', (share, here, there) => {
    const beside = trial({ 'driver.others': share }, { neighbours: [{ name: 'yes', processors: share * 2 }] });
    expect(found('other programs', beside)).toMatch(new RegExp(`^${here}: .*\\(yes \\d\\.\\d\\d processors\\)`));
    expect(found('other programs', beside, deployed)).toMatch(new RegExp(`^${there}: .* of the driver’s processors`));
  });

  it('fail beside other programs, or other virtual machines, only where the machine must be quiet', () => {
    const protocol = { ...definition.protocol, quietMachine: 'required' as const };
    const required = { ...local, experiment: { ...definition, protocol } };
    expect(found('other programs', trial({ 'driver.others': 0.14 }), required)).toMatch(/^warn/);
    expect(found('other programs', trial({ 'driver.others': 0.14, 'driver.steal': 0.05 }), required)).toMatch(
      /^fail: other programs took 19 % of this machine’s processors \(other virtual machines 5 %\)/,
    );
    expect(
      found('other programs', trial({ 'driver.others': 0.9 }), { ...deployed, ...required, place: deployed.place }),
    ).toMatch(/^warn/);
  });

  it('warn of processors that may have slept between transactions, if nothing kept them awake', () => {
    const name = 'sleeping processors';
    expect(found(name, trial({ 'driver.awake': 1, 'driver.busy': 0.4 }))).toMatch(/^pass/);
    expect(found(name, trial({ 'driver.awake': 0, 'driver.busy': 0.95 }))).toMatch(/^pass/);
    expect(found(name, trial({ 'driver.awake': 0, 'driver.busy': 0.4 }))).toMatch(
      /^warn: 60 % of this machine’s processors were idle/,
    );
    expect(found(name, trial({ 'driver.awake': 0, 'driver.busy': 0.4 }), deployed)).toBeUndefined();
  });

  it.each([
    ['pass: it stood still for 0.02 s at most; pgduet itself took 1 % of the processors', {}],
    ['pass: ', { 'driver.runnerStall': 0.9, 'driver.window': 60.8, 'collect.window': 64 }],
    // Of a trial of a minute, 3 %.
    ['pass: ', { 'driver.runnerStall': 1.7 }],
    ['fail: pgduet stood still for 1.9 s', { 'driver.runnerStall': 1.9 }],
    ['pass: ', { 'driver.window': 62.9 }],
    ['fail: counters of the driver cover 90.0 s, but the load took 60.0 s', { 'driver.window': 90 }],
    // A busy machine: what pgbench counted is what it was.
    ['warn: counters of the driver cover 64.0 s, but the load took 60.0 s', { 'driver.window': 64 }],
    ['warn: counters of the server cover 70.0 s, but the load took 60.0 s', { 'collect.window': 70 }],
    ['warn: pgduet itself took 7 % of the processors', { 'driver.runnerProcessors': 0.07 }],
    [
      'fail: pgduet itself took 20 % of the processors; pgduet stood still for 3.0 s',
      { 'driver.runnerProcessors': 0.2, 'driver.runnerStall': 3 },
    ],
    ['not assessed: the runner was not observed', { 'driver.runnerStall': null }],
  ])('say of a runner: %s', (judged, measures) => {
    const observed = { 'driver.runnerStall': 0.02, 'driver.runnerProcessors': 0.01, 'load.processSeconds': 60 };
    const windows = { 'driver.window': 60.1, 'collect.window': 60.3 };
    expect(found('runner', trial({ ...observed, ...windows, ...measures }))).toMatch(
      judged.endsWith(': ') ? new RegExp(`^${judged}`) : judged,
    );
  });

  it.each([
    ['1.9', local, /^pass/],
    ['2.1', local, /^warn: 2\.1 s passed between the warm-up and the measured part/],
    ['5.1', local, /^fail: 5\.1 s passed between the warm-up and the measured part/],
    // Sources that ask AWS take longer to start.
    ['4.9', deployed, /^pass/],
    ['9.9', deployed, /^warn/],
    ['10.1', deployed, /^fail/],
  ])('say of a runner that goes on with the measured part %s s after the warm-up: %#', (seconds, base, judged) => {
    const observed = { 'driver.runnerStall': 0.02, 'driver.runnerProcessors': 0.01, 'load.processSeconds': 60 };
    const { protocol } = base.experiment;
    const warmUpSeconds = 3;
    const warmUpStartedAt = '2026-11-25T12:00:00Z';
    const startedAt = new Date(Date.parse(warmUpStartedAt) + (warmUpSeconds + Number(seconds)) * 1000).toISOString();
    const context = { ...base, experiment: { ...base.experiment, protocol: { ...protocol, warmUpSeconds } } };
    expect(found('runner', { ...trial(observed), startedAt, warmUpStartedAt }, context)).toMatch(judged);
  });

  it.each([
    [0.02, /^pass/],
    [0.05, /^warn: the load generator was stopped for 5 % of the time/],
    [0.74, /^fail: the load generator was stopped for 74 % of the time/],
  ])('say of a load generator that was stopped in many short slices, %d of the time: %s', (share, judged) => {
    const slices = { 'load.stopped': 0.5, 'load.stoppedShare': share, 'progress.silence': 0 };
    expect(found('silent seconds', trial(slices))).toMatch(judged);
  });

  it('let a trial be measured again in which the runner stood still, but not one of which it took much', () => {
    const reason = (measures: Measures): unknown =>
      checkTrial(trial({ 'driver.runnerStall': 5, 'driver.runnerProcessors': 0.01, ...measures }), local).find(
        ({ name }) => name === 'runner',
      )?.outside;
    expect(reason({})).toBe('suspended driver');
    expect(reason({ 'driver.runnerProcessors': 0.3, 'load.processSeconds': 60 })).toBe('busy driver');
    // What puts the load on from within pgduet is no disturbance of it.
    expect(reason({ 'driver.runnerProcessors': 0.3, 'driver.runnerStall': 0 })).toBeUndefined();
  });

  it.each([
    [0.91, 'pass: 9 %'],
    [1.02, 'pass: none'],
    [0.85, 'warn: 15 %'],
    [0.4, 'fail: 60 %'],
  ])('judge a measured latency that is %d of clients / TPS: %s', (share, judged) => {
    expect(found('client time', withLatencyShare(share))).toMatch(new RegExp(`^${judged} of each transaction’s turn`));
  });

  it('name threads of the load generator that were full, on a large driver with time to spare', () => {
    const full = { 'driver.busy': 0.07, 'driver.loadGeneratorBusy': 1, tps: 96_000, 'load.ceiling': 1_621_200 };
    expect(found('driver’s processors', trial(full), deployed)).toMatch(
      /^fail: .*threads were 100 % busy.*more threads/,
    );
    expect(found('driver’s processors', trial(full))).toMatch(/^warn: .*threads were 100 % busy/);
  });

  it('do not take the time to connect for client time', () => {
    // As measured with pgbench -C: 6.547 ms of latency, 40.826 ms to connect, 32 clients.
    const reconnecting = { 'client.turn': 0.0475, 'latency.average': 0.006547 };
    expect(found('client time', trial(reconnecting))).toMatch(/^fail: 86 %/);
    expect(found('client time', trial({ ...reconnecting, 'latency.connection': 0.040826 }))).toMatch(
      /^pass: 0.3 % of each transaction’s turn passed outside the measured latency and the time to connect/,
    );
    expect(found('client time', trial({ ...reconnecting, 'latency.connection': 0.01 }))).toMatch(/^fail: 65 %/);
  });

  it('do not take the time of failed transactions for client time, and do not guess it', () => {
    const failing = { 'client.turn': 0.01, 'latency.average': 0.0037, 'transactions.failed': 310 };
    expect(found('client time', trial({ ...failing, 'client.failed': 0.0061 }))).toMatch(
      /^pass: 2 % .* failed transactions/,
    );
    expect(found('client time', trial({ ...failing, 'client.failed': 0.0001 }))).toMatch(/^fail: 62 %/);
    expect(found('client time', trial(failing))).toMatch(/^not assessed: 310 transactions failed/);
  });

  it('do not take clients that are done early for client time: with a number of transactions, they warn at most', () => {
    const { durationSeconds: _, ...endless } = workload;
    const counted = { ...local, shape: pgbench.shape({ ...endless, transactions: 20 }) };
    expect(found('client time', withLatencyShare(0.38), counted)).toMatch(
      /^warn: 62 % .*; the driver’s part of it is unknown: clients that have finished count as busy/,
    );
    expect(found('client time', withLatencyShare(0.91), counted)).toMatch(/^pass: 9 %/);
  });

  it('do not take waiting for the schedule for client time', () => {
    const rated = { ...local, shape: pgbench.shape({ ...workload, rate: 9 }) };
    expect(found('client time', withLatencyShare(0.4), rated)).toBeUndefined();
  });

  it('warn of transactions that failed or were skipped', () => {
    const failing = trial({ 'transactions.failed': 1200, 'transactions.skipped': 3 });
    expect(found('transactions', failing)).toBe('warn: 1,200 failed; 3 were skipped because they lagged behind');
  });

  it('warn of a trial shorter than a checkpoint cycle only where no checkpoint fell into it', () => {
    const unlogged = { checkpoints: [] };
    const without = trial({ 'checkpoints.timed': 0, 'checkpoints.requested': 0 }, unlogged);
    const slow = { ...local, settings: { checkpoint_timeout: '5 (min)' } };
    expect(found('checkpoint cycle', without, slow)).toBe(
      'warn: no checkpoint in 120 s: the trial is shorter than a cycle (checkpoint_timeout: 300 s)',
    );
    expect(found('checkpoint cycle', without)).toMatch(/^pass/);
    expect(found('checkpoint cycle', trial({}, unlogged), slow)).toMatch(/^pass: 2 checkpoints/);
    expect(found('checkpoint cycle', trial(), slow)).toBe('pass: 4 whole cycles, from start to start');
  });

  it('say nothing of checkpoints where the load hardly writes, and do not wait for one to call it steady', () => {
    const readOnly = trial(
      { 'checkpoints.timed': 0, 'checkpoints.requested': 0, 'wal.bytes': 6000 },
      { checkpoints: [] },
    );
    const slow = { ...withThroughput(() => 1000), settings: { checkpoint_timeout: '5 (min)' } };
    expect(found('checkpoint cycle', readOnly, slow)).toMatch(/^pass: the load hardly writes/);
    expect(found('steady state', readOnly, slow)).toMatch(/^pass/);
    const begun = trial({ 'wal.bytes': 6000 }, { checkpoints: [{ ...logged, startedAt: -10, endedAt: null }] });
    expect(found('checkpoint cycle', begun, slow)).toMatch(/^pass: the load hardly writes/);
  });

  it('warn of a trial without a whole checkpoint cycle while checkpoints go on, unless the phase was drawn', () => {
    // The first began before the trial, and both are under way for all of it.
    const starts = (...at: number[]) =>
      trial({}, { checkpoints: at.map((startedAt) => ({ ...logged, startedAt, endedAt: null })) });
    expect(found('checkpoint cycle', starts(-10))).toBe('warn: no whole cycle: no checkpoint began in the trial');
    expect(found('checkpoint cycle', starts(-10, 80))).toBe('warn: no whole cycle: one checkpoint began in the trial');
    expect(found('checkpoint cycle', starts(-10, 40, 90))).toBe('pass: 1 whole cycle, from start to start');
    const drawn = (phaseSeconds: number) => ({
      ...local,
      experiment: { ...definition, protocol: { ...definition.protocol, phaseSeconds } },
    });
    expect(found('checkpoint cycle', starts(-10, 80), drawn(90))).toMatch(/^pass: .*; its phase was drawn$/);
    expect(found('checkpoint cycle', starts(-10, 80), drawn(30))).toMatch(/^warn/);
  });

  it('advise whole cycles where a change may be a phase of the checkpoint cycle', () => {
    const falling = withThroughput((second) => (second < 43 ? 1000 : 620));
    const short = trial({}, { checkpoints: [{ ...logged, startedAt: 42, endedAt: null }] });
    expect(found('steady state', short, falling)).toBe(
      'warn: throughput fell by 38 % at second 43: look for the cause, or it may be a phase of the checkpoint cycle (no whole one is in the trial): make the trials long enough for whole cycles',
    );
    expect(found('steady state', trial(), falling)).toMatch(/or warm up for longer$/);
  });

  it('warn of autovacuum', () => {
    const vacuumed = trial({ 'database.autovacuums': 1, 'database.autoanalyzes': 1 });
    expect(found('autovacuum', vacuumed)).toBe('warn: vacuumed or analyzed 2 tables in the trial');
    expect(found('autovacuum', trial({ 'database.autovacuums': null }))).toMatch(/^not assessed/);
  });

  it('warn of a trial that rises or falls, with the second of the change', () => {
    expect(
      found(
        'steady state',
        trial(),
        withThroughput((second) => 1000 + 5 * second),
      ),
    ).toMatch(/^warn: throughput rose by \d+ % from start to end: warm up for longer$/);
    expect(
      found(
        'steady state',
        trial(),
        withThroughput((second) => 1000 + 5 * Math.min(second, 60)),
      ),
    ).toBe('warn: throughput rose by 29 % until second 60: warm up for longer');
    const falling = withThroughput((second) => (second < 43 ? 1000 : 620));
    expect(found('steady state', trial(), falling)).toBe(
      'warn: throughput fell by 38 % at second 43: look for the cause, or warm up for longer',
    );
    const shape = { ...local.shape, offeredPerSecond: 9 };
    const slower = withSeries('latency.average', (second) => (second < 43 ? 0.01 : 0.02));
    expect(found('steady state', trial(), { ...slower, shape })).toMatch(/^warn: latency rose by 100 % at second 43:/);
    expect(
      found(
        'steady state',
        trial(),
        withThroughput((second) => (second < 43 ? 0 : 620)),
      ),
    ).toMatch(/^warn: throughput rose from nothing at second 43:/);
  });

  it('do not take a threshold in points of a share for one of throughput', () => {
    const slightly = withThroughput((second) => (second < 60 ? 1000 : 980) + ((second * 7919) % 13));
    const decidedBy = (metric: string): TrialContext => ({
      ...slightly,
      experiment: { ...definition, decision: { ...definition.decision, metric, practicalThreshold: 0.001 } },
    });
    expect(found('steady state', trial(), decidedBy('tps'))).toMatch(/^warn: throughput fell by 2 %/);
    expect(found('steady state', trial(), decidedBy('latency.withinLimit'))).toMatch(/^pass/);
  });

  it('call no trial steady that is shorter than a checkpoint cycle, but name what changed in it', () => {
    const settings = { checkpoint_timeout: '300 (s)' };
    const still = withThroughput((second) => 1000 + ((second * 7919) % 13));
    const short = trial({}, { checkpoints: [] });
    expect(found('steady state', short, still)).toMatch(/^pass/);
    expect(found('steady state', short, { ...still, settings })).toBe(
      'not assessed: no change in 119 s, but calling it steady takes 300 s',
    );
    const falling = withThroughput((second) => (second < 43 ? 1000 : 620));
    expect(found('steady state', short, { ...falling, settings })).toMatch(
      /^warn: throughput fell by 38 % at second 43/,
    );
  });

  it('call a trial steady that has a whole checkpoint cycle, not one that was under checkpoints all the time', () => {
    const settings = { checkpoint_timeout: '300 (s)' };
    const under = trial(
      {},
      { checkpoints: [-1, 5, 9].map((startedAt) => ({ ...logged, startedAt, endedAt: startedAt + 4 })) },
    );
    const always = trial({}, { checkpoints: [{ ...logged, startedAt: -1, endedAt: null }] });
    const still = withThroughput((second) => 1000 + ((second * 7919) % 13));
    expect(found('steady state', under, { ...still, settings })).toBe(
      'pass: throughput neither rose nor fell by more than matters',
    );
    expect(found('steady state', always, { ...still, settings })).toMatch(/^not assessed/);
    const short = { ...still, settings, series: asSeries(ownRows.filter(({ second }) => second < 12)) };
    expect(found('steady state', under, short)).toMatch(/^pass: throughput neither rose nor fell by 20 %, the least/);
  });

  it.each([
    [[40], /^not assessed/],
    [[-20, 40], /^not assessed/],
    [[40, 100], /^pass/],
  ])('take a cycle from the start of one checkpoint to the next, whatever started it: %j', (starts, judged) => {
    const settings = { checkpoint_timeout: '300 (s)' };
    const still = withThroughput((second) => 1000 + ((second * 7919) % 13));
    const begun = (restartpoint: boolean) =>
      trial(
        {},
        { checkpoints: starts.map((startedAt) => ({ ...logged, startedAt, endedAt: startedAt + 30, restartpoint })) },
      );
    expect(found('steady state', begun(false), { ...still, settings })).toMatch(judged);
    expect(found('steady state', begun(true), { ...still, settings })).toMatch(/^not assessed/);
  });
});

const logged = { reason: 'wal', restartpoint: false, buffers: null, writeSeconds: null, syncSeconds: null };

const withThroughput = (valueAt: (second: number) => number) => withSeries('tps', valueAt);

function withSeries(name: string, valueAt: (second: number) => number): TrialContext {
  const rows = ownRows.map((row) => (row.name === name ? { ...row, value: valueAt(row.second) } : row));
  return { ...local, series: asSeries(rows) };
}

/** Measured latency as a share of clients / TPS. */
function withLatencyShare(share: number): Trial {
  return trial({ 'latency.average': (sample.measures['client.turn'] ?? NaN) * share });
}
