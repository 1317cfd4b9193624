import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CollectedTrial, Collector, Findings } from '../../runner/collect/collector.ts';
import { events } from '../../runner/rds/collect/events.ts';
import { storageWork } from '../../runner/rds/collect/storage-work.ts';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import type { TrialEvent } from '../../runner/contract/trial.ts';
import { measureTrials } from '../../runner/run/trial.ts';
import type { EndedTrial } from '../../runner/run/trial-record.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeCollector, fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const described = new Map([
  ['one', { name: 'one', description: null, serverVersion: '16.15', settings: { checkpoint_timeout: '5 (s)' } }],
]);

/** Measures the trials at the first position of the plan. */
async function measured(run: FakeRun): Promise<EndedTrial[]> {
  const step = run.execution.plan.steps.find((one): one is MeasureStep => one.kind === 'measure');
  if (!step) throw new Error('a plan without a trial');
  return measureTrials(await run.running(), described, step);
}

async function measuredOne(options: FakeRunOptions = {}): Promise<EndedTrial & { run: FakeRun }> {
  const run = fakeRun({ ...options, protocol: { reset: [], ...options.protocol } });
  const [only] = await measured(run);
  if (!only) throw new Error('no trial');
  return { ...only, run };
}

/** Writes down each call, and finds what it is told to find. */
function observed(name: string, log: string[]): Collector {
  const say = (what: string): Promise<Findings> => {
    log.push(`${name} ${what}`);
    return Promise.resolve({});
  };
  return fakeCollector(name, {
    async start() {
      await say('starts');
      return { stop: () => say('stops'), finish: () => say('finishes') };
    },
  });
}

describe('a trial', () => {
  it('is reset, warmed up, measured and collected in this order, its sources around the load alone', async () => {
    const collectors: Collector[] = [];
    const run = fakeRun({
      protocol: { reset: ['truncate-history'] },
      tool: { resetSteps: { 'truncate-history': { words: '', expectedSeconds: 1, statements: ['EMPTY IT'] } } },
      collectors,
    });
    server.onQuery = (variant, statement) => run.log.push(`${statement} of ${variant}`);
    collectors.push(observed('first', run.log), observed('second', run.log));
    await measured(run);
    expect(run.log).toEqual([
      ...['under test: none', 'stage reset of one', 'EMPTY IT of one'],
      ...['under test: one', 'stage warm-up of one', 'warm up one for 3 s'],
      // The first source is the last to start and the first to stop.
      ...['stage measure of one', 'second starts', 'first starts', 'load on one', 'first stops', 'second stops'],
      ...['stage collect of one', 'first finishes', 'second finishes'],
    ]);
  });

  it('is not warmed up where the protocol says 0 seconds', async () => {
    const { run } = await measuredOne({ protocol: { warmUpSeconds: 0 } });
    expect(run.log.join()).not.toContain('warm up');
  });

  it('that is measured together with others enters each stage together with them', async () => {
    const run = fakeRun({ protocol: { order: 'together', reset: [] } });
    const trials = await measured(run);
    const bothEnter = (stage: string): string[] => [`stage ${stage} of one`, `stage ${stage} of two`];
    expect(run.log.filter((line) => line.startsWith('stage '))).toEqual(
      ['reset', 'warm-up', 'measure', 'collect'].flatMap(bothEnter),
    );
    expect(run.log).toContain('under test: one, two');
    expect(trials.map(({ trial }) => [trial.conditions.variant, trial.position])).toEqual([
      ['one', 1],
      ['two', 1],
    ]);
  });

  it('has null and a reason in place of what its server does not count, and what follows from that is null, too', async () => {
    server.settingsOf = () => ({ track_counts: 'off' });
    const need = {
      setting: 'track_counts',
      suffices: (value: string) => value === 'on',
      gap: 'nothing is',
      remedy: 'x',
    };
    const blocks = { 'database.blocksRead': 0, 'database.blocksHit': 0 };
    const { trial } = await measuredOne({
      generator: { measure: () => Promise.resolve({ measures: { transactions: 1000 }, facts: {} }) },
      collectors: [
        fakeCollector('part', {
          needs: [{ ...need, metrics: /^database\.blocks/ }],
          start: () => Promise.resolve({ stop: () => Promise.resolve({ measures: { ...blocks, 'wal.bytes': 7 } }) }),
        }),
        fakeCollector('whole', {
          needs: [need],
          start: () => Promise.resolve({ finish: () => Promise.resolve({ measures: { 'waits.active': 0 } }) }),
        }),
      ],
    });
    expect(trial.measures).toMatchObject({
      'database.blocksRead': null,
      'database.blocksHit': null,
      'database.blocksReadPerTransaction': null,
      'wal.bytes': 7,
    });
    expect(trial.measures).not.toHaveProperty('waits.active');
    const reason = 'track_counts is off, so nothing is: x';
    expect(trial.facts.absent).toEqual({ part: reason, whole: reason });
  });

  it('holds what the load and all sources found, and what follows from it', async () => {
    const rows = [0, 1, 2, 3].map((second) => ({ second, name: 'tps', value: 100 + second }));
    const { trial, series } = await measuredOne({
      generator: {
        measure: () =>
          Promise.resolve({
            measures: { tps: 100, transactions: 1000 },
            facts: { identity: { clients: 2 }, problems: ['said by the load'] },
          }),
      },
      collectors: [
        fakeCollector('stopped', {
          start: () =>
            Promise.resolve({
              stop: () =>
                Promise.resolve({
                  measures: { 'wal.bytes': 500_000 },
                  facts: { restarted: false, problems: ['said by a source'] },
                  warnings: ['A sentence.'],
                }),
            }),
        }),
        fakeCollector('finished', {
          start: () =>
            Promise.resolve({ finish: () => Promise.resolve({ series: rows, facts: { own: { anything: 1 } } }) }),
        }),
        fakeCollector('without a start'),
      ],
    });
    expect(trial).toMatchObject({
      id: 'block-01-1-one',
      conditions: { variant: 'one' },
      block: 1,
      position: 1,
      attempt: 1,
      state: 'finished',
      failure: null,
      warnings: [{ id: 'measurement', message: 'A sentence.' }],
      series: [],
      measures: {
        tps: 100,
        transactions: 1000,
        'wal.bytes': 500_000,
        // The catalogue derives these from other measures and from the series.
        'wal.bytesPerTransaction': 500,
        'seconds.whole': 2,
      },
      facts: {
        identity: { clients: 2 },
        restarted: false,
        problems: ['said by the load', 'said by a source'],
        own: { anything: 1 },
      },
    });
    expect(series).toEqual(rows);
    expect(trial).not.toHaveProperty('period');
  });

  it('holds no second that only a clock gives it that was set by hours: a reader would take that for damage', async () => {
    const rows = [1, -43_200, 2, 43_200].map((second) => ({ second, name: 'tps', value: 100 }));
    const { series } = await measuredOne({
      collectors: [
        fakeCollector('one', {
          start: () => Promise.resolve({ stop: () => Promise.resolve({ series: rows }) }),
        }),
      ],
    });
    expect(series.map(({ second }) => second)).toEqual([1, 2]);
  });

  it('is judged by what was found, and by the settings that were in force', async () => {
    const { trial } = await measuredOne({
      generator: {
        measure: () =>
          Promise.resolve({
            measures: { 'checkpoints.timed': 0, 'checkpoints.requested': 0 },
            facts: { restarted: true },
          }),
      },
    });
    const stateOf = (name: string): string | undefined => trial.checks.find((check) => check.name === name)?.state;
    expect(stateOf('restart or failover')).toBe('fail');
    // With the default checkpoint_timeout of five minutes, ten seconds would be too short.
    expect(stateOf('checkpoint cycle')).toBe('pass');
  });

  it('has the period of a crossover in which it was measured', async () => {
    expect((await measuredOne({ protocol: { crossover: true, blocks: 6 } })).trial.period).toBe(1);
  });

  it('starts with its load, also for its sources', async () => {
    let loadBegun: Date | undefined;
    const source = fakeCollector('source', {
      start: () =>
        Promise.resolve({
          stop({ startedAt }) {
            loadBegun = startedAt;
            return Promise.resolve({});
          },
        }),
    });
    let loadAt = NaN;
    const run = fakeRun({
      protocol: { reset: [] },
      collectors: [source],
      generator: {
        measure() {
          loadAt = run.execution.now().getTime();
          return Promise.resolve({ measures: {}, facts: {} });
        },
      },
    });
    const [only] = await measured(run);
    // The clock here moves by a second with every call.
    expect(loadAt - Date.parse(only?.trial.startedAt ?? '')).toBe(1000);
    expect(loadBegun?.toISOString()).toBe(only?.trial.startedAt);
  });
});

describe('the sources of a trial', () => {
  it('ask for events from the start of the warm-up on: a backup that begins there may outlast the trial', async () => {
    const asked: Date[] = [];
    const eventsBetween = (_: unknown, from: Date): Promise<TrialEvent[]> => {
      asked.push(from);
      return Promise.resolve([{ at: from.toISOString(), kind: 'backup', text: 'Backing up DB instance' }]);
    };
    const { trial } = await measuredOne({ collectors: [events], place: { eventsBetween } });
    expect(trial.warmUpStartedAt).toBe(asked[0]?.toISOString());
    expect(new Date(trial.warmUpStartedAt ?? '') < new Date(trial.startedAt)).toBe(true);
    expect(trial.checks).toContainEqual(
      expect.objectContaining({ name: 'backup, maintenance, storage', state: 'fail' }),
    );

    const withoutWarmUp = await measuredOne({
      collectors: [events],
      place: { eventsBetween },
      protocol: { warmUpSeconds: 0 },
    });
    expect(withoutWarmUp.trial).not.toHaveProperty('warmUpStartedAt');
    expect(withoutWarmUp.trial.startedAt).toBe(asked[1]?.toISOString());
  });

  it('ask at the end of a trial what RDS does to its volumes, which fails the trial by name', async () => {
    const working = (): Promise<string[]> => Promise.resolve(['storage optimizing, 12% done']);
    const { trial } = await measuredOne({ collectors: [storageWork], place: { storageWork: working } });
    expect(trial.facts.storageWork).toEqual(['storage optimizing, 12% done']);
    expect(trial.checks).toContainEqual(
      expect.objectContaining({
        name: 'backup, maintenance, storage',
        state: 'fail',
        finding: expect.stringContaining('storage optimizing, 12% done') as string,
      }),
    );
  });

  it('are told what they look at', async () => {
    let reported: CollectedTrial | undefined;
    const eventsBetween = () => Promise.resolve([]);
    const { run } = await measuredOne({
      collectors: [
        fakeCollector('curious', {
          start(trial) {
            reported = trial;
            return Promise.resolve({});
          },
        }),
      ],
      tool: { growingTable: 'history' },
      place: { eventsBetween },
    });
    expect(reported).toMatchObject({
      id: 'block-01-1-one',
      conditions: { variant: 'one' },
      target: { server: 'one' },
      serverMajor: 16,
      growingTable: 'history',
      logged: expect.anything() as unknown,
      eventsBetween,
      folder: `${run.folder}/trials/block-01-1-one`,
    });
  });

  it('share one connection as they start and one as they stop, and hold none under load', async () => {
    const open = (): number => server.connections.filter((connection) => connection.open).length;
    const asking = (name: string): Collector =>
      fakeCollector(name, {
        async start({ database }) {
          await database((client) => client.query('SELECT 1'));
          return { stop: () => database((client) => client.query('SELECT 2')).then(() => ({})) };
        },
      });
    let openUnderLoad: number | undefined;
    const { trial } = await measuredOne({
      collectors: [asking('first'), asking('second')],
      generator: {
        measure() {
          openUnderLoad = open();
          return Promise.resolve({ measures: {}, facts: {} });
        },
      },
    });
    expect(trial.state).toBe('finished');
    // Two more prove before the warm-up that the server has what was asked for, and what the run tells of it.
    expect([openUnderLoad, open(), server.connections.length]).toEqual([0, 0, 4]);
  });
});

describe('a trial on a server that is not what was asked for', () => {
  it('fails before its warm-up, and says what is different', async () => {
    server.versionOf = () => '16.14';
    const run = fakeRun({ protocol: { reset: [] } });
    for (const target of run.place.targets.values())
      Object.assign(target, { asked: { parameters: {}, version: '16.15' } });
    const [only] = await measured(run);
    expect(only?.trial).toMatchObject({
      state: 'failed',
      failure: { stage: 'warm-up', code: 'server-changed', error: expect.stringContaining('16.14') as string },
    });
    expect(run.log.join()).not.toContain('warm up');
  });

  it('fails before its warm-up if a setting is not what it was when everything was loaded', async () => {
    const run = fakeRun({ protocol: { reset: [] } });
    let memory = '4MB';
    server.settingsOf = (variant) => ({ in_hot_standby: memory, work_mem: variant === 'two' ? memory : '4MB' });
    run.place.activateOnly = (servers) => {
      if (servers.length > 0) memory = '1MB';
      return Promise.resolve();
    };
    const result = await run.carryOut();
    const failed = result?.trials.filter(({ state }) => state === 'failed') ?? [];
    expect(new Set(failed.map(({ conditions }) => conditions.variant))).toEqual(new Set(['two']));
    expect(failed[0]?.failure).toEqual({
      stage: 'warm-up',
      code: 'server-changed',
      error: expect.stringContaining('work_mem was 4MB') as string,
    });
  });
});
