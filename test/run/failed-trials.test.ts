import pg from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Collection } from '../../runner/collect/collector.ts';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import type { Trial, TrialStage } from '../../runner/contract/trial.ts';
import { measureTrials } from '../../runner/run/trial.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeCollector, fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** Measures the trials at the first position of the plan. Each of them is reset by one statement. */
async function measured(run: FakeRun): Promise<Trial[]> {
  const step = run.execution.plan.steps.find((one): one is MeasureStep => one.kind === 'measure');
  if (!step) throw new Error('a plan without a trial');
  const ended = await measureTrials(await run.running(), new Map(), step);
  for (const { trial, series } of ended) if (trial.state !== 'finished') expect(series).toEqual([]);
  return ended.map(({ trial }) => trial);
}

const protocol = { reset: ['truncate-history'] };
const series = [{ second: 1, name: 'tps', value: 1 }];
const source = (collection: Collection) => fakeCollector('source', { start: () => Promise.resolve({ ...collection }) });
const found = fakeCollector('found', {
  start: () =>
    Promise.resolve({
      stop: () => Promise.resolve({ measures: { 'wal.bytes': 1 }, series, facts: { restarted: false } }),
    }),
});

/** A moment of a trial; `replace` gives options with which `act` happens at this moment. */
type Moment = [name: string, stage: TrialStage, replace: (act: () => Promise<never>) => FakeRunOptions];
const moments: Moment[] = [
  ['the place before a reset', 'reset', (act) => ({ place: { activateOnly: act } })],
  [
    'the place before a warm-up',
    'warm-up',
    (act) => ({ place: { activateOnly: (variants) => (variants.length > 0 ? act() : Promise.resolve()) } }),
  ],
  ['the warm-up', 'warm-up', (act) => ({ generator: { warmUp: act } })],
  ['a source that starts', 'measure', (act) => ({ collectors: [found, fakeCollector('source', { start: act })] })],
  ['the load', 'measure', (act) => ({ generator: { measure: act }, collectors: [found] })],
  ['a source that stops', 'measure', (act) => ({ collectors: [found, source({ stop: act })] })],
  ['a source that finishes', 'collect', (act) => ({ collectors: [found, source({ finish: act })] })],
];

const stagesUpTo = (last: TrialStage): string[] => {
  const stages: TrialStage[] = ['reset', 'warm-up', 'measure', 'collect'];
  return stages.slice(0, stages.indexOf(last) + 1);
};

describe('a trial fails, with the stage and the error,', () => {
  it('and with what the server’s log says before it, where a statement of the reset fails in the server itself', async () => {
    const log = ['LOG:  ready', 'ERROR:  of an earlier trial'];
    const failed = new pg.DatabaseError('checkpoint request failed', 0, 'error');
    failed.code = 'XX000';
    server.onQuery = (variant) => {
      if (variant !== 'one') return;
      const partly = '12:00 ERROR:  could not write block 90 in file "base/5/1255": wrote only 4096 of 8192 bytes';
      log.push(partly, '12:00 HINT:  Check free disk space.', '12:01 ERROR:  later', '12:01 HINT:  Wait.');
      throw failed;
    };
    const serverLog = () =>
      Promise.resolve({
        bytes: () => Promise.resolve(0),
        lines: (isWanted: (line: string) => boolean) => Promise.resolve(log.filter(isWanted)),
      });
    const targets = new Map([...fakeRun().place.targets].map(([name, target]) => [name, { ...target, serverLog }]));
    const [trial] = await measured(fakeRun({ protocol, place: { targets } }));
    expect(trial?.failure).toEqual({
      stage: 'reset',
      code: 'server-error',
      error:
        'checkpoint request failed\nBefore that, the server logged: ERROR:  could not write block 90 in file "base/5/1255": wrote only 4096 of 8192 bytes (Check free disk space.)',
    });
  });

  it.each(moments)('where %s breaks', async (_, stage, replace) => {
    const run = fakeRun({ protocol, ...replace(() => Promise.reject(new Error('it broke'))) });
    const [trial] = await measured(run);
    expect(trial).toMatchObject({
      id: 'block-01-1-one',
      block: 1,
      position: 1,
      attempt: 1,
      state: 'failed',
      failure: { stage, code: 'other', error: 'it broke' },
      // Findings so far belong to a trial that did not end.
      measures: {},
      series: [],
      facts: {},
      checks: [],
    });
    const entered = run.events.flatMap((event) => (event.kind === 'stage-started' ? [event.stage] : []));
    expect(stagesUpTo(stage)).toEqual(expect.arrayContaining(entered));
    expect(entered).toEqual(expect.arrayContaining(stagesUpTo(stage).slice(0, -1)));
  });

  it.each(moments)('and ends what its warm-up has left, where %s breaks', async (_, stage, replace) => {
    const abandoned: string[] = [];
    const options = replace(() => Promise.reject(new Error('it broke')));
    const abandon = ({ server }: { server: string }): Promise<void> => {
      abandoned.push(server);
      return Promise.reject(new Error('that broke, too'));
    };
    const run = fakeRun({ protocol, ...options, generator: { ...options.generator, abandon } });
    const [trial] = await measured(run);
    expect(trial?.failure).toEqual({ stage, code: 'other', error: 'it broke' });
    expect(new Set(abandoned)).toEqual(new Set(['one']));
  });

  it('where the server refuses its reset', async () => {
    server.onQuery = () => {
      throw new Error('no such table');
    };
    const [trial] = await measured(fakeRun({ protocol }));
    expect(trial?.failure).toEqual({ stage: 'reset', code: 'other', error: 'no such table' });
  });

  it('and the one that is measured together with it goes on', async () => {
    const run = fakeRun({
      protocol: { ...protocol, order: 'together' },
      generator: {
        warmUp: ({ server }) => (server === 'one' ? Promise.reject(new Error('it broke')) : Promise.resolve()),
      },
    });
    expect((await measured(run)).map(({ state }) => state)).toEqual(['failed', 'finished']);
  });

  it('which are those of its server where that died, whatever the client said', async () => {
    const run = fakeRun({
      protocol,
      generator: {
        measure() {
          run.killServer('one', 'the server ended (SIGKILL)');
          return Promise.reject(new Error('connection lost'));
        },
      },
    });
    const [trial] = await measured(run);
    expect(trial).toMatchObject({
      state: 'failed',
      failure: { stage: 'measure', error: 'the server ended (SIGKILL)' },
    });
  });

  it('which are those of its server where that is found dead only a moment later', async () => {
    const run = fakeRun({
      protocol,
      generator: { measure: () => Promise.reject(new Error('connection lost')) },
    });
    run.execution.pause = () => {
      run.killServer('one', 'the server ended (SIGKILL)');
      return Promise.resolve();
    };
    expect((await measured(run))[0]?.failure?.error).toBe('the server ended (SIGKILL)');
  });
});

describe('a trial is interrupted, in the stage that it had come to,', () => {
  it.each(moments)('which is where a signal comes during %s', async (_, stage, replace) => {
    const run: FakeRun = fakeRun({
      protocol,
      ...replace(() => {
        run.interrupt('interrupted by SIGTERM');
        return Promise.reject(run.execution.signal.reason as Error);
      }),
    });
    const [trial] = await measured(run);
    expect(trial).toMatchObject({
      state: 'interrupted',
      failure: { stage, error: 'interrupted by SIGTERM' },
      measures: {},
      checks: [],
    });
  });

  it('also where nothing throws in it: the next stage is not entered', async () => {
    const run = fakeRun({
      protocol,
      onEvent(event) {
        if (event.kind === 'stage-started' && event.stage === 'warm-up') run.interrupt('interrupted by SIGINT');
      },
    });
    const [trial] = await measured(run);
    expect(trial).toMatchObject({
      state: 'interrupted',
      failure: { stage: 'measure', error: 'interrupted by SIGINT' },
    });
    expect(run.log.join()).not.toContain('stage measure');
  });

  it('with all that are measured together with it', async () => {
    let underLoad = 0;
    const run = fakeRun({
      protocol: { ...protocol, order: 'together' },
      generator: {
        measure: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            if (++underLoad === 2) run.interrupt('interrupted by SIGINT');
          }),
      },
    });
    expect((await measured(run)).map(({ state }) => state)).toEqual(['interrupted', 'interrupted']);
  });
});

describe('what a trial that fails leaves open', () => {
  const connected = fakeCollector('connected', {
    async start({ database }) {
      await database((client) => client.query('SELECT 1'));
      return {};
    },
  });
  const openConnections = (): number => server.connections.filter(({ open }) => open).length;

  it('is no connection where a source could not start', async () => {
    const broken = fakeCollector('broken', { start: () => Promise.reject(new Error('it broke')) });
    // They start in reverse order: the connection is open when the other collector fails.
    await measured(fakeRun({ protocol, collectors: [broken, connected] }));
    expect(openConnections()).toBe(0);
  });

  it('is no source that goes on, where the load failed', async () => {
    const stopped = vi.fn(() => Promise.resolve({}));
    await measured(
      fakeRun({
        protocol,
        collectors: [source({ stop: stopped })],
        generator: { measure: () => Promise.reject(new Error('it broke')) },
      }),
    );
    expect(stopped).toHaveBeenCalledOnce();
  });

  it('is no source that goes on, where another one could not stop', async () => {
    const stopped = vi.fn(() => Promise.resolve({}));
    const broken = source({ stop: () => Promise.reject(new Error('it broke')) });
    await measured(fakeRun({ protocol, collectors: [broken, source({ stop: stopped })] }));
    expect(stopped).toHaveBeenCalledOnce();
  });
});
