import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UnfitTrials, UserError } from '../../runner/contract/errors.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { showProgress } from '../../runner/report/terminal/progress.ts';
import { fakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const load = { sql: ['made.sql'], reset: ['reset.sql'] };
const own: FakeRunOptions = {
  protocol: { reset: ['own-reset', 'checkpoint'], warmUpSeconds: 0 },
  workload: { tool: 'own-data', scale: undefined, load, scripts: [{ file: 'mix.sql' }] },
  files: { 'made.sql': 'SELECT 1;', 'reset.sql': 'SELECT 2;', 'mix.sql': 'SELECT 3;' },
};

describe('what the user wrote', () => {
  it('is carried out once on each server, on the first before the others are loaded; its reset before each trial, too', async () => {
    const done: string[] = [];
    const run = fakeRun({
      ...own,
      generator: {
        reset: ({ server: name }, step) => Promise.resolve(void done.push(`${step} of ${name}`)),
        load: ({ server: name }) => Promise.resolve(void done.push(`data of ${name}`)),
        tryScripts({ server: name }) {
          done.push(`scripts on ${name}`);
          return Promise.resolve(null);
        },
        measure: ({ server: name }) => {
          done.push(`load on ${name}`);
          return Promise.resolve({ measures: { tps: 100 }, facts: {} });
        },
      },
    });
    expect(await run.carryOut()).toMatchObject({ complete: true });
    expect(run.events.filter(({ kind }) => kind === 'trying-out')).toEqual(
      ['one', 'two'].map((variant) => ({ kind: 'trying-out', conditions: { variant } })),
    );
    expect(done).toEqual([
      ...['data of one', 'own-reset of one', 'scripts on one'],
      ...['data of two', 'own-reset of two', 'scripts on two'],
      ...['own-reset of one', 'load on one', 'own-reset of two', 'load on two'],
    ]);
  });

  it('ends the run with the parameter of the variant under which it cannot work', async () => {
    const printed = 'FATAL:  terminating connection due to idle-in-transaction timeout';
    const idle = new UserError(`mix.sql: ${printed}`, { printed });
    const [...targets] = fakeRun().place.targets;
    const asked = { parameters: { idle_in_transaction_session_timeout: 5 }, version: null };
    const run = fakeRun({
      ...own,
      generator: { reset: () => Promise.resolve(), tryScripts: () => Promise.reject(idle) },
      place: { targets: new Map(targets.map(([name, target]) => [name, { ...target, asked }])) },
    });
    await expect(run.carryOut()).rejects.toThrow(/parameter idle_in_transaction_session_timeout: 5\. Change the value/);
  });

  it('is shown while it is carried out, on a terminal and elsewhere with --verbose', async () => {
    for (const isTerminal of [true, false]) {
      const written: string[] = [];
      const write = (text: string): unknown => written.push(text);
      const statusLine = isTerminal ? { show: write, clear: () => undefined } : null;
      const run = fakeRun({
        ...own,
        generator: {
          reset: () => Promise.resolve(),
          tryScripts({ server: name }) {
            expect(written.at(-1)).toContain(`scripts on ${name}`);
            return Promise.resolve(null);
          },
        },
        onEvent: (event) => progress.report(event),
      });
      const terminal = { stderr: { write }, statusLine, errorColumns: 100, colour: false, verbose: true as const };
      const progress = showProgress(run.execution.plan, 'tps', terminal);
      await run.carryOut();
      progress.end();
      expect(written.join('')).toContain('testing the scripts on two');
    }
  });

  it('ends the run before its first trial where it is wrong', async () => {
    const wrong = new UserError('The script mix.sql does not run on one: no such table');
    const run = fakeRun({
      ...own,
      generator: { reset: () => Promise.resolve(), tryScripts: () => Promise.reject(wrong) },
    });
    await expect(run.carryOut()).rejects.toBe(wrong);
    expect(run.stored().trials).toEqual([]);
    expect(run.log.filter((line) => line.startsWith('load on'))).toEqual([]);
  });
});

describe('transactions that are long beside the trials', () => {
  const taking = (seconds: number, more: FakeRunOptions = {}) => {
    const loaded: string[] = [];
    const run = fakeRun({
      ...own,
      ...more,
      generator: {
        reset: () => Promise.resolve(),
        load: ({ server: name }) => Promise.resolve(void loaded.push(name)),
        tryScripts: () => Promise.resolve({ script: 'mix.sql', seconds }),
      },
    });
    const warnings = () => run.events.flatMap((event) => (event.kind === 'warning' ? [event.text] : []));
    return { run, loaded, warnings };
  };

  it('are named once, with the remedy, and the run goes on', async () => {
    const { run, warnings } = taking(2.4);
    expect(await run.carryOut()).toMatchObject({ complete: true });
    expect(warnings()).toEqual([
      'A transaction of mix.sql takes 2.4 s on one. In a trial of 10 s, a client has about 5. Set workload.durationSeconds to 24, or decision.metric to latency.average.',
    ]);
  });

  it('need fewer in a trial where latency decides', async () => {
    const latency = { experiment: { decision: { metric: 'latency.average' } } };
    const enough = taking(3, latency);
    await enough.run.carryOut();
    expect(enough.warnings()).toEqual([]);
    const { run, warnings } = taking(15, latency);
    await run.carryOut();
    expect(warnings()).toEqual([
      'A transaction of mix.sql takes 15 s on one. In a trial of 10 s, a client has about one. Set workload.durationSeconds to 45.',
    ]);
  });

  it('are no trouble if they are short, if trials have a number of them, or if a rate paces them', async () => {
    const workloads = [{ rate: 1 }, { transactions: 3, durationSeconds: undefined }];
    const runs = [taking(0.9), ...workloads.map((one) => taking(9, { workload: { ...own.workload, ...one } }))];
    for (const { run, warnings } of runs) {
      await run.carryOut();
      expect(warnings()).toEqual([]);
    }
  });

  it('may end the run before the other servers are loaded', async () => {
    const { run, loaded, warnings } = taking(2.4);
    const onTriedOut = (): Promise<void> => Promise.reject(new UnfitTrials(2.4));
    Object.assign(run.execution, { onTriedOut });
    await expect(run.carryOut()).rejects.toMatchObject({ transactionSeconds: 2.4 });
    expect({ loaded, warnings: warnings() }).toEqual({ loaded: ['one'], warnings: [] });
  });
});
