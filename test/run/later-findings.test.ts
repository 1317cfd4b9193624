import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import type { Collector, Findings } from '../../runner/collect/collector.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { Check } from '../../runner/contract/check.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { LimitReached } from '../../runner/run/time-limit.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeCollector, fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const failover = { at: '2026-11-21T12:00:30.000Z', kind: 'failover', text: 'Multi-AZ failover started' } as const;

/** Finds the failover in the first trial after the end of the run, and nothing during the trial. */
function lateEvents(
  collectAfterRun: Collector['collectAfterRun'] = (trials) => Promise.resolve(failoverIn(trials.slice(0, 1))),
): Collector {
  return fakeCollector('late-events', {
    start: () =>
      Promise.resolve({
        finish: () => Promise.resolve({ facts: { events: [] }, series: [{ second: 1, name: 'tps', value: 100 }] }),
      }),
    collectAfterRun,
  });
}

function failoverIn(trials: readonly Trial[]): Map<string, Findings> {
  return new Map(trials.map(({ id }) => [id, { measures: { 'wal.bytes': 5 }, facts: { events: [failover] } }]));
}

function runWith(collector: Collector, options: FakeRunOptions = {}): FakeRun {
  return fakeRun({ ...options, protocol: { reset: [], repeats: 0, ...options.protocol }, collectors: [collector] });
}

/** Bytes and time of every file of the trials, except what was found later. */
function filesOfTrials(folder: string): Record<string, string> {
  const trials = path.join(folder, 'trials');
  const files = readdirSync(trials, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(trials, name)).isFile(),
  );
  return Object.fromEntries(
    files
      .filter((name) => !name.includes('later'))
      .map((name) => {
        const content = readFileSync(path.join(trials, name));
        const hash = createHash('sha256').update(content).digest('hex');
        return [name, `${hash} ${statSync(path.join(trials, name), { bigint: true }).mtimeNs}`];
      }),
  );
}

function checkOf(trial: Trial | undefined, name: string): Check['state'] | undefined {
  return trial?.checks.find((check) => check.name === name)?.state;
}
const eventsCheck = 'backup, maintenance, storage';

describe('what a source finds only after the run', () => {
  it('goes into its own file; trial.json and series stay as they were written', async () => {
    let before: Record<string, string> = {};
    const run = runWith(
      lateEvents((trials) => {
        before = filesOfTrials(run.folder);
        return Promise.resolve(failoverIn(trials.slice(0, 1)));
      }),
    );
    await run.carryOut();
    expect(Object.keys(before).sort()).toEqual([
      ...['block-01-1-one/series.parquet', 'block-01-1-one/trial.json'],
      ...['block-01-2-two/series.parquet', 'block-01-2-two/trial.json'],
    ]);
    expect(filesOfTrials(run.folder)).toEqual(before);
    const later = path.join(run.folder, 'trials/block-01-1-one/later/late-events.json');
    expect(JSON.parse(readFileSync(later, 'utf8'))).toMatchObject({
      kind: 'pgduet-trial-later',
      schemaVersion: 2,
      collector: 'late-events',
      measures: { 'wal.bytes': 5 },
      facts: { events: [failover] },
    });
    expect(existsSync(path.join(run.folder, 'trials/block-01-2-two/later'))).toBe(false);
  });

  it('is part of the trial, in the result and when the folder is read', async () => {
    const run = runWith(lateEvents());
    const result = await run.carryOut();
    for (const trials of [result?.trials, run.stored().trials]) {
      expect(trials?.[0]).toMatchObject({ measures: { tps: 100, 'wal.bytes': 5 }, facts: { events: [failover] } });
      expect(trials?.[1]).toMatchObject({ measures: { tps: 100 }, facts: { events: [] } });
    }
  });

  it('is seen by the sources that are asked after it, also its series', async () => {
    const observed: unknown[] = [];
    const first = fakeCollector('first', {
      collectAfterRun: ([trial]) =>
        Promise.resolve(
          new Map(
            trial
              ? [
                  [
                    trial.id,
                    { facts: { absent: { first: 'in part' } }, series: [{ second: 1, name: 'tps', value: 7 }] },
                  ],
                ]
              : [],
          ),
        ),
    });
    const second = fakeCollector('second', {
      async collectAfterRun([trial], { seriesOf }) {
        if (!trial) return new Map();
        observed.push(trial.facts.absent, (await seriesOf(trial)).get('tps'));
        return new Map([[trial.id, { facts: { absent: { second: 'off' } } }]]);
      },
    });
    const run = fakeRun({ protocol: { reset: [], repeats: 0 }, collectors: [first, second] });
    const result = await run.carryOut();
    expect(observed).toEqual([{ first: 'in part' }, [{ second: 1, value: 7 }]]);
    for (const trials of [result?.trials, run.stored().trials]) {
      expect(trials?.[0]?.facts.absent).toEqual({ first: 'in part', second: 'off' });
      expect(trials?.[0]?.series.map(({ file }) => file)).toEqual(['later/first.parquet']);
    }
  });

  it('is not waited for any longer where the run is interrupted', async () => {
    const run = runWith(
      lateEvents(async (_, { pause }) => {
        run.interrupt('interrupted by SIGINT');
        await pause(20);
        return new Map();
      }),
    );
    expect((await run.carryOut())?.trials).toHaveLength(2);
  });

  it('leaves the stop of a look as it is if a limit is reached in the meantime', async () => {
    const limit = new AbortController();
    const late = lateEvents(() => {
      limit.abort(new LimitReached('Stopped by limits.hours: 1'));
      return Promise.resolve(new Map());
    });
    const run = runWith(late, { protocol: { blocks: 30, order: 'random', until: 'verdict' } });
    run.execution.signal = limit.signal;
    const result = await run.carryOut();
    expect(limit.signal.aborted).toBe(true);
    expect(result).toMatchObject({ complete: true, stoppedAfterBlock: 6 });
    expect(result).not.toHaveProperty('stoppedBy');
  });

  it('has the checks of the trial judged again, so that it can take the verdict away', async () => {
    const run = runWith(lateEvents());
    const result = await run.carryOut();
    const measured = run.events.flatMap((event) => (event.kind === 'trial-ended' ? [event.trial] : []));
    expect(measured.map((trial) => checkOf(trial, eventsCheck))).toEqual(['pass', 'pass']);
    expect(result?.trials.map((trial) => checkOf(trial, eventsCheck))).toEqual(['fail', 'pass']);
    expect(result?.comparisons.find(({ primary }) => primary)).toMatchObject({
      verdict: null,
      withheld: expect.arrayContaining([
        expect.objectContaining({
          id: 'backup-maintenance-storage',
          message: expect.stringContaining('Multi-AZ failover started') as string,
        }),
      ]) as object[],
    });
  });

  it('is asked of finished trials alone', async () => {
    const asked: string[] = [];
    const run = runWith(
      lateEvents((trials) => {
        asked.push(...trials.map(({ id }) => id));
        return Promise.resolve(new Map());
      }),
      {
        generator: {
          measure: ({ server }) =>
            server === 'one' ? Promise.reject(new Error('it broke')) : Promise.resolve({ measures: {}, facts: {} }),
        },
      },
    );
    await run.carryOut();
    expect(asked).toEqual(['block-01-2-two']);
  });

  it('is not asked where the run was interrupted: somebody waits', async () => {
    const collectAfterRun = vi.fn<NonNullable<Collector['collectAfterRun']>>();
    const run = runWith(lateEvents(collectAfterRun), {
      onEvent({ kind }) {
        if (kind === 'trial-ended') run.interrupt('interrupted by SIGINT');
      },
    });
    await run.carryOut();
    expect(collectAfterRun).not.toHaveBeenCalled();
  });

  it('is done without, with a warning, where the source does not answer', async () => {
    const run = runWith(lateEvents(() => Promise.reject(new UserError('rds:DescribeEvents was refused'))));
    const result = await run.carryOut();
    expect(result?.complete).toBe(true);
    expect(run.events).toContainEqual({
      kind: 'warning',
      text: 'pgduet could not query late-events again: rds:DescribeEvents was refused',
    });
  });

  it('ends the run where it is a fault of ours, with every trial kept', async () => {
    const run = runWith(lateEvents(() => Promise.reject(new TypeError('a bug'))));
    await expect(run.carryOut()).rejects.toThrow('a bug');
    expect(run.stored().trials).toHaveLength(2);
    expect(run.log.at(-1)).toBe('place closed');
  });
});

describe('what was found later in an earlier start of a run', () => {
  /** Like RDS, it does not tell again what is known already. */
  const onlyNews = lateEvents((trials) =>
    Promise.resolve(failoverIn(trials.slice(0, 1).filter(({ facts }) => facts.events?.length === 0))),
  );

  it('still takes the verdict away where no result was left', async () => {
    const run = runWith(onlyNews);
    // Killed right after the finding was saved.
    run.store.saveResult = () => Promise.reject(new Error('killed'));
    await expect(run.carryOut()).rejects.toThrow('killed');
    const { result } = await openFolder(run.folder);
    expect(checkOf(result.trials[0], eventsCheck)).toBe('fail');
  });

  it('still takes the verdict away where the run is gone on with', async () => {
    const first = runWith(onlyNews);
    await first.carryOut();
    const run = runWith(onlyNews, { folder: first.folder });
    const result = await run.carryOut({ earlier: first.stored() });
    expect(result?.trials[0]?.facts.events).toEqual([failover]);
    expect(checkOf(result?.trials[0], eventsCheck)).toBe('fail');
  });

  it('lets no look be taken twice, although a block before it is measured again', async () => {
    const backup = { at: '2026-11-21T12:00:30.000Z', kind: 'backup', text: 'Backing up DB instance' } as const;
    const blockThree = (trials: readonly Trial[]) =>
      trials.filter(({ block, attempt }) => block === 3 && attempt === 1);
    const late = lateEvents((trials) =>
      Promise.resolve(
        new Map(
          blockThree(trials)
            .filter(({ facts }) => facts.events?.length === 0)
            .map(({ id }) => [id, { facts: { events: [backup] } }]),
        ),
      ),
    );
    const protocol = { blocks: 12, order: 'random', until: 'verdict', repeats: 1 };
    const start = (folder?: string): FakeRun => {
      const run = runWith(late, {
        protocol,
        ...(folder !== undefined && { folder }),
        generator: {
          measure({ server }, { folder: of }) {
            const id = path.basename(of);
            // Only with this block is there no verdict at the first look.
            const tps = id.startsWith('block-03') && server === 'two' && !id.includes('repeat') ? 50 : 100;
            if (folder !== undefined || !id.startsWith('block-09')) {
              return Promise.resolve({ measures: { tps, transactions: 10 * tps }, facts: {} });
            }
            run.killServer(server, 'the server is gone');
            return Promise.reject(new Error('it broke'));
          },
        },
      });
      return run;
    };
    const first = start();
    const ended = await first.carryOut();
    expect(ended?.trials.map(({ block }) => block)).toContain(9);
    expect(ended).toMatchObject({ complete: false });
    const result = await start(first.folder).carryOut({ earlier: first.stored(), isResumed: true });
    expect(result?.trials.filter(({ attempt }) => attempt === 2).map(({ block }) => block)).toContain(3);
    // After block 3 was measured again, the first look would find a verdict.
    expect(result?.stoppedAfterBlock).not.toBe(8);
    expect(Math.max(...(result?.trials ?? []).map(({ block }) => block))).toBe(12);
  });
});
