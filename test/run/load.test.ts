import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import type { ReadServerLog } from '../../runner/contract/server.ts';
import type { ServerLoad } from '../../runner/contract/result.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const onlyLoad = { stages: { load: true, run: false } };
const onlyRun = { stages: { load: false, run: true } };
const protocol = { reset: [] };

/** A generator that fails as often as said for each server, and loads then. */
function failing(failures: Record<string, number>, error: Error): FakeRunOptions & { tried: string[] } {
  const left = new Map(Object.entries(failures));
  const tried: string[] = [];
  return {
    tried,
    protocol,
    generator: {
      load({ server: name }) {
        tried.push(name);
        const more = left.get(name) ?? 0;
        left.set(name, more - 1);
        return more > 0 ? Promise.reject(error) : Promise.resolve();
      },
    },
  };
}

function loadsOf(run: FakeRun): Pick<ServerLoad, 'server' | 'outcome'>[] {
  const steps = run.stored().steps.filter(({ step }) => step === 'load');
  return steps.flatMap(({ loads = [] }) => loads.map(({ server: name, outcome }) => ({ server: name, outcome })));
}

/** The servers of the made-up run, with this log. */
function targetsWith(serverLog: ReadServerLog) {
  return new Map([...fakeRun().place.targets].map(([name, target]) => [name, { ...target, serverLog }]));
}

function warnings({ events }: FakeRun): string[] {
  return events.flatMap((event) => (event.kind === 'warning' ? [event.text] : []));
}

describe('a server that cannot be loaded', () => {
  const lost = new PartError('server closed the connection unexpectedly', 'connection-lost');

  it('is loaded again after a pause, alone, and every try is kept', async () => {
    const options = failing({ two: 2 }, lost);
    const run = fakeRun(options);
    const result = await run.carryOut();
    expect(options.tried).toEqual(['one', 'two', 'two', 'two']);
    expect(warnings(run)).toEqual([
      `Loading two failed. Retrying (2 of 3): ${lost.message}`,
      `Loading two failed. Retrying (3 of 3): ${lost.message}`,
    ]);
    expect(loadsOf(run)).toEqual([
      { server: 'one', outcome: 'loaded' },
      { server: 'two', outcome: 'failed' },
      { server: 'two', outcome: 'failed' },
      { server: 'two', outcome: 'loaded' },
    ]);
    const [, first, second] = result?.steps.find(({ step }) => step === 'load')?.loads ?? [];
    expect(Date.parse(second?.startedAt ?? '') - Date.parse(first?.endedAt ?? '')).toBeGreaterThan(60_000);
  });

  it('changes settings from what there was before the first try, whichever try changed them', async () => {
    const options = failing({ two: 1 }, lost);
    // The first try comes as far as that.
    server.settingsOf = (variant) => ({ work_mem: variant === 'two' && options.tried.includes('two') ? '1MB' : '4MB' });
    const run = fakeRun(options);
    await run.carryOut();
    const loads = run.stored().steps.flatMap(({ loads: own = [] }) => own);
    expect(loads.map(({ server: name, outcome, settings }) => [name, outcome, settings])).toEqual([
      ['one', 'loaded', undefined],
      ['two', 'failed', undefined],
      ['two', 'loaded', { work_mem: ['4MB', '1MB'] }],
    ]);
  });

  it('ends the run at the third failure, and what was tried stays', async () => {
    const options = failing({ one: 3 }, lost);
    const run = fakeRun(options);
    await expect(run.carryOut()).rejects.toThrow(lost.message);
    expect(options.tried).toEqual(['one', 'one', 'one']);
    expect(run.stored().steps.at(-1)).toMatchObject({ step: 'load', error: lost.message });
    expect(loadsOf(run).map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  });

  it.each([
    ['is not tried again where the user has to put it right', new UserError('no such tablespace')],
    ['is tried again, and never marked, where the load is not whole', undefined],
  ])('%s', async (_, error) => {
    const options = failing(error ? { one: 1 } : {}, error ?? lost);
    const run = fakeRun({
      ...options,
      generator: { ...options.generator, ...(error ? {} : { missing: () => Promise.resolve(['9 tellers']) }) },
    });
    await expect(run.carryOut()).rejects.toThrow(error?.message ?? 'one was loaded, but is missing 9 tellers');
    expect(options.tried).toHaveLength(error ? 1 : 2);
    expect(server.marks.size).toBe(0);
  });

  it.each([
    [
      'by its name in the message',
      { temp_file_limit: 64, jit: false },
      'ERROR:  temporary file size exceeds temp_file_limit (64kB)',
      'temp_file_limit: 64',
    ],
    [
      'by what PostgreSQL says of it',
      { lock_timeout: '1ms', max_wal_size: '1GB' },
      'ERROR:  canceling statement due to lock timeout',
      'lock_timeout: 1ms',
    ],
    [
      'by what is hidden by it',
      { search_path: 'nowhere' },
      'ERROR:  relation "pgbench_branches" does not exist',
      'search_path: nowhere',
    ],
  ])('is not tried again where a parameter of the variant is why, which is found %s', async (...of) => {
    const [, parameters, message, named] = of;
    const options = failing({ one: 9 }, new PartError(message, { failure: 'program-failed', printed: message }));
    const [...targets] = fakeRun().place.targets;
    const asked = { parameters, version: null };
    const place = { targets: new Map(targets.map(([name, target]) => [name, { ...target, asked }])) };
    const failed = fakeRun({ ...options, place }).carryOut();
    await expect(failed).rejects.toBeInstanceOf(UserError);
    await expect(failed).rejects.toThrow(
      new RegExp(`\nThe variant sets parameter ${named}\\. Change the value, or remove it\\.$`),
    );
    expect(options.tried).toHaveLength(1);
  });

  it('names what the client says and what the server said first, and how it failed the first time', async () => {
    const log = ['LOG:  ready'];
    const failures = ['the disk is slow', 'PQputline failed 1', 'PQputline failed 2'];
    const run = fakeRun({
      protocol,
      generator: {
        load: () => {
          log.push('12:00 ERROR:  out of temporary files', 'LOG:  going on');
          const printed = failures.shift() ?? '';
          return Promise.reject(new PartError(printed, { failure: 'program-failed', printed }));
        },
      },
      place: {
        targets: targetsWith(() =>
          Promise.resolve({
            bytes: () => Promise.resolve(0),
            lines: (isWanted) => Promise.resolve(log.filter(isWanted)),
          }),
        ),
      },
    });
    await expect(run.carryOut()).rejects.toThrow(
      'PQputline failed 2\nBefore that, the server logged: ERROR:  out of temporary files\nThe first attempt failed differently: the disk is slow\nBefore that, the server logged: ERROR:  out of temporary files',
    );
  });

  it('is not tried again when the run is interrupted', async () => {
    const run: FakeRun = fakeRun({
      protocol,
      generator: {
        load: () => {
          run.interrupt('enough');
          return Promise.reject(lost);
        },
      },
    });
    await expect(run.carryOut()).rejects.toThrow();
    expect(warnings(run)).toEqual([]);
  });
});

describe('a load that was cut off', () => {
  /** A first start that loses its power when it has loaded one of the two servers. */
  async function cutOff(): Promise<FakeRun> {
    const first = fakeRun({
      protocol,
      generator: {
        load: ({ server: name }) => (name === 'one' ? Promise.resolve() : Promise.reject(new UserError('power'))),
      },
    });
    await expect(first.carryOut()).rejects.toThrow('power');
    return first;
  }

  it('goes on in the same run with the servers that are missing', async () => {
    const first = await cutOff();
    const options = failing({}, new Error());
    const run = fakeRun({ ...options, folder: first.folder });
    const result = await run.carryOut({ earlier: first.stored(), isResumed: true });
    expect(options.tried).toEqual(['two']);
    expect(run.events).toContainEqual({ kind: 'load-skipped', conditions: { variant: 'one' } });
    expect(loadsOf(run).slice(-2)).toEqual([
      { server: 'one', outcome: 'loaded-before' },
      { server: 'two', outcome: 'loaded' },
    ]);
    expect(result).toMatchObject({ complete: true, startedAt: first.stored().run.startedAt });
  });

  it('loads what is marked but not whole, and everything where the servers are new', async () => {
    const first = await cutOff();
    const damaged = failing({}, new Error());
    let looks = 0;
    await fakeRun({
      ...damaged,
      generator: { ...damaged.generator, missing: () => Promise.resolve(looks++ === 0 ? ['a primary key'] : []) },
    }).carryOut({ earlier: first.stored(), isResumed: true });
    expect(damaged.tried).toEqual(['one', 'two']);

    const anew = failing({}, new Error());
    await fakeRun(anew).carryOut(onlyLoad);
    expect(anew.tried).toEqual(['one', 'two']);
  });

  it('is not waited for again when it had settled', async () => {
    const settling = { reset: [], settleSeconds: 600 };
    const first: FakeRun = fakeRun({
      protocol: settling,
      onEvent: ({ kind }) => {
        if (kind === 'stage-started') first.interrupt('reboot');
      },
    });
    await first.carryOut();
    const run = fakeRun({ protocol: settling, folder: first.folder });
    await run.carryOut({ earlier: first.stored(), isResumed: true });
    expect(run.events.flatMap((event) => (event.kind === 'step-started' ? [event.step.kind] : []))).toEqual(['create']);
  });
});

describe('servers that were loaded in the same way and do not hold the same', () => {
  const unlike =
    'one and two were loaded in the same way, but their contents differ: table public.audit has 7 rows on one, and 0 on two. Their trials would compare the data, not the servers. ';
  const tables = (audited: number) => ({ 'public.account': 5, 'public.audit': audited });

  it('are refused before the first trial, and loaded anew by the next start', async () => {
    server.tablesOf = (name) => tables(name === 'one' ? 7 : 0);
    const first = fakeRun({ protocol });
    await expect(first.carryOut()).rejects.toThrow(unlike);
    expect(first.stored().steps.at(-1)).toMatchObject({
      step: 'load',
      error: expect.stringContaining(unlike) as string,
    });
    server.tablesOf = () => tables(7);
    const run = fakeRun({ protocol, folder: first.folder });
    expect(await run.carryOut({ earlier: first.stored(), isResumed: true })).toMatchObject({ complete: true });
    expect(run.log.filter((line) => line.startsWith('fill'))).toEqual(['fill one', 'fill two']);
  });

  it('are not loaded anew where one of them only did not answer when they were compared', async () => {
    server.onQuery = (_, statement) => {
      const compares = statement.startsWith('SELECT') && statement.includes('pgduet_load') && server.marks.size === 2;
      if (compares) throw new UserError('The server of two does not accept connections.', { isTransient: true });
    };
    await expect(fakeRun({ protocol }).carryOut()).rejects.toThrow('does not accept connections');
    expect([...server.marks.keys()]).toEqual(['one', 'two']);
  });

  it('are refused where another command loaded them, or a snapshot had them', async () => {
    await fakeRun({ protocol }).carryOut(onlyLoad);
    const [one = '', two = ''] = ['one', 'two'].map((name) => server.marks.get(name) ?? '');
    expect(one).toContain('"contents":{');
    server.marks.set('one', one.replace('"rows":{}', '"rows":{"public.audit":{"rows":7,"counted":true}}'));
    server.marks.set('two', two.replace('"rows":{}', '"rows":{"public.audit":{"rows":0,"counted":true}}'));
    await expect(fakeRun({ protocol }).carryOut(onlyRun)).rejects.toThrow(unlike);

    const storage = { type: 'gp3', sizeGib: 100 };
    const load = { snapshot: 'shop', database: 'shop', expect: ['SELECT true'] };
    const workload = { tool: 'own-data', scale: undefined, load, scripts: [{ file: 'mix.sql' }] };
    const experiment = { variants: { one: { storage }, two: { storage } } };
    server.tablesOf = (name) => tables(name === 'one' ? 7 : 0);
    const own = fakeRun({ protocol, workload, experiment, files: { 'mix.sql': 'SELECT 1;' } });
    await expect(own.carryOut()).rejects.toThrow(unlike);
  });

  it('may differ by what the load draws, within bounds', async () => {
    const drawing = { protocol, tool: { drawnTables: ['audit'] } };
    server.tablesOf = (name) => tables(name === 'one' ? 1000 : 990);
    expect(await fakeRun(drawing).carryOut()).toMatchObject({ complete: true });
    server.tablesOf = (name) => tables(name === 'one' ? 1000 : 900);
    await expect(fakeRun(drawing).carryOut()).rejects.toThrow(
      'table public.audit has 1,000 rows on one, and 900 on two',
    );
  });

  it('are not told apart by marks of an older pgduet', async () => {
    await fakeRun({ protocol }).carryOut(onlyLoad);
    server.tablesOf = () => tables(7);
    const old = (server.marks.get('one') ?? '').replace(/"contents":\{"rows":\{\},.*?"definitions":\{\}\},/, '');
    expect(old).not.toContain('contents');
    server.marks.set('one', old);
    expect(await fakeRun({ protocol }).carryOut(onlyRun)).toMatchObject({ complete: true });
  });
});

describe('a run without a load', () => {
  it('is refused where nothing was loaded, or its load did not end', async () => {
    const run = fakeRun({ protocol });
    await expect(run.carryOut(onlyRun)).rejects.toThrow(
      'one: pgduet has not finished loading this database. Load it with npx --no-install pgduet load',
    );
  });

  it('is refused where the data is of another scale, naming both', async () => {
    await fakeRun({ protocol, workload: { scale: 50 } }).carryOut(onlyLoad);
    await expect(fakeRun({ protocol }).carryOut(onlyRun)).rejects.toThrow(
      /^one was loaded by pgbench with scale 50, load\.fillFactor 100, .*; this experiment needs pgbench with scale 1, /,
    );
  });

  it('is refused where a file that was loaded has other contents by now', async () => {
    const workload = { tool: 'own-data', scale: undefined, load: { dump: 'app.dump' }, scripts: [{ file: 'mix.sql' }] };
    const files = { 'app.dump': 'one', 'mix.sql': 'SELECT 1;' };
    await fakeRun({ protocol, workload, files }).carryOut(onlyLoad);
    const another = { ...files, 'app.dump': 'another' };
    await expect(fakeRun({ protocol, workload, files: another }).carryOut(onlyRun)).rejects.toThrow(
      /^one was loaded by own-data with load\.dump app\.dump, sha256\.app\.dump 7692c3ad\w+; this experiment needs .* sha256\.app\.dump ae448ac8\w+\./,
    );
    const otherScript = { ...files, 'mix.sql': 'SELECT 2;' };
    expect(await fakeRun({ protocol, workload, files: otherScript }).carryOut(onlyRun)).toMatchObject({
      complete: true,
    });
  });

  it('measures what an earlier one loaded', async () => {
    await fakeRun({ protocol }).carryOut(onlyLoad);
    expect(await fakeRun({ protocol }).carryOut(onlyRun)).toMatchObject({ complete: true });
  });
});

describe('what is kept for the next stack', () => {
  const storage = { type: 'gp3', sizeGib: 100 };
  const kept = {
    name: 'pgduet-made-up-alice-1',
    arn: null,
    source: 'alice-one',
    deleteCommand: 'aws rds delete-db-snapshot --db-snapshot-identifier pgduet-made-up-alice-1 --region us-east-1',
  };
  const keeping = (place: FakeRunOptions['place']): FakeRunOptions => ({
    protocol,
    experiment: { variants: { one: { storage }, two: { storage } }, data: { keep: true } },
    ...(place && { place }),
  });

  it('is one snapshot, of the baseline, made before the first trial, and told with the command that deletes it', async () => {
    const of: string[] = [];
    const run: FakeRun = fakeRun(
      keeping({
        keepSnapshot(name) {
          of.push(`${name} after ${run.log.filter((line) => line.startsWith('load on')).length} trials`);
          return Promise.resolve(kept);
        },
      }),
    );
    const result = await run.carryOut();
    expect(of).toEqual(['one after 0 trials']);
    expect(result?.steps.find(({ step }) => step === 'snapshot')).toMatchObject({ snapshot: kept });
    expect(warnings(run)).toEqual([
      `pgduet saved the loaded data as snapshot ${kept.name}. AWS bills for it until you delete it: ${kept.deleteCommand}`,
    ]);
  });

  it('is not made a second time by a resumed run', async () => {
    let made = 0;
    const options = keeping({ keepSnapshot: () => Promise.resolve((made++, kept)) });
    const first = fakeRun(options);
    await first.carryOut();
    await fakeRun({ ...options, folder: first.folder }).carryOut({ earlier: first.stored(), isResumed: true });
    expect(made).toBe(1);
  });
});

describe('servers that were restored from a snapshot', () => {
  const storage = { type: 'gp3', sizeGib: 100 };
  const variants = { one: { storage }, two: { storage } };
  const restored: FakeRunOptions = { protocol, experiment: { variants, data: { snapshot: 'kept' } } };

  it('are proved to hold the data, and touched instead of loaded; what that cost is kept', async () => {
    await fakeRun({ protocol, experiment: { variants } }).carryOut(onlyLoad);
    const run = fakeRun(restored);
    const result = await run.carryOut();
    expect(run.log.filter((line) => line.startsWith('fill'))).toEqual([]);
    expect(result?.steps.find(({ step }) => step === 'touch')?.touched).toMatchObject([
      { server: 'one', bytes: 0 },
      { server: 'two', bytes: 0 },
    ]);
    expect(run.events.filter(({ kind }) => kind === 'touched')).toHaveLength(2);
  });

  it('are proved by what is expected of them where the snapshot is the user’s own, and marked once that holds', async () => {
    const load = { snapshot: 'shop', database: 'shop', expect: ['SELECT true'] };
    const workload = { tool: 'own-data', scale: undefined, load, scripts: [{ file: 'mix.sql' }] };
    const own = { protocol, workload, experiment: { variants }, files: { 'mix.sql': 'SELECT 1;' } };
    const lacking = fakeRun({ ...own, generator: { missing: () => Promise.resolve(['what load.expect asks for']) } });
    await expect(lacking.carryOut()).rejects.toThrow(
      'one was restored from shop, but its database shop does not have what load.expect asks for.',
    );
    await expect(fakeRun(own).carryOut(onlyRun)).rejects.toThrow('pgduet has not finished loading this database.');
    const run = fakeRun(own);
    expect(await run.carryOut()).toMatchObject({ complete: true });
    expect(run.log.filter((line) => line.startsWith('fill'))).toEqual([]);
    expect(await fakeRun(own).carryOut(onlyRun)).toMatchObject({ complete: true });
  });

  it('are refused where the snapshot is of another scale', async () => {
    await fakeRun({ protocol, workload: { scale: 7 }, experiment: { variants } }).carryOut(onlyLoad);
    await expect(fakeRun(restored).carryOut()).rejects.toThrow(/^one was loaded by pgbench with scale 7, /);
  });
});
