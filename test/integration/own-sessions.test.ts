import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ParameterValue } from '../../runner/contract/experiment/variant.ts';
import { connectionString } from '../../runner/postgres/target.ts';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import { databaseLocks } from '../../runner/postgres/database-lock.ts';
import { plansOf } from '../../runner/collect/postgres/plans.ts';
import { proveInForce } from '../../runner/postgres/in-force.ts';
import { resetDatabase } from '../../runner/postgres/reset.ts';
import { disconnect } from '../../runner/postgres/unanswered.ts';
import { runCommand } from '../../runner/process/run-command.ts';
import { ownDataGenerator } from '../../runner/workloads/own-data/generator.ts';
import { ownDataSchema } from '../../runner/workloads/own-data/schema.ts';
import { pgbenchGenerator, type PgbenchRunner } from '../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import type { LoadGenerator } from '../../runner/workloads/load-generator.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { type LocalCluster, queryOn } from '../helpers/servers/local-cluster.ts';
import { oneBlock, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

/** What ends sessions and statements, or has them work and write otherwise. */
const hostile: Readonly<Record<string, ParameterValue>> = {
  statement_timeout: 1,
  lock_timeout: 1,
  idle_in_transaction_session_timeout: 1,
  idle_session_timeout: 200,
  default_transaction_read_only: true,
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: true,
  search_path: 'nowhere',
  row_security: false,
  client_min_messages: 'error',
  standard_conforming_strings: false,
  quote_all_identifiers: true,
  bytea_output: 'escape',
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kathmandu',
  extra_float_digits: -15,
  timezone_abbreviations: 'India',
  lc_monetary: 'C.UTF-8',
  array_nulls: false,
  transform_null_equals: true,
  backslash_quote: false,
  xmlbinary: 'hex',
  xmloption: 'document',
  check_function_bodies: false,
  synchronize_seqscans: true,
  gin_fuzzy_search_limit: 1,
  session_replication_role: 'replica',
};

/** Of the version that is installed here: older ones have the second name, newer ones the first. */
const forcesWorkers = async (cluster: LocalCluster): Promise<string> => {
  const { rows } = await queryOn<{ name: string }>(
    cluster.target,
    "SELECT name FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode')",
  );
  return rows[0]?.name ?? '';
};
const { signal } = new AbortController();

describe('on a server whose parameters end sessions, forbid to write and spell values otherwise', () => {
  const cluster = clusterForAll(hostile);

  function generator(load: object = {}): LoadGenerator & PgbenchRunner {
    const where = { programs: cluster.programs, scriptFolder: cluster.folder, collect: [] };
    const run = { clients: 1, durationSeconds: 1, load };
    if (!('sql' in load)) {
      return pgbenchGenerator({
        ...where,
        workload: resolveLevel(pgbenchSchema.parse({ tool: 'pgbench', scale: 1, ...run })),
      });
    }
    const own = ownDataSchema.parse({ tool: 'own-data', scripts: [{ file: 'made.sql' }], ...run });
    return ownDataGenerator({ ...where, workload: resolveLevel(own) });
  }

  it('our sessions write, wait, stay, find tables and read times', async () => {
    const client = await connect(cluster.target);
    try {
      await client.query('CREATE TABLE public.kept (at timestamptz, span interval, raw bytea)');
      await client.query(
        String.raw`INSERT INTO kept VALUES ('2026-02-01 12:00:00+00', '1 day', '\x00ff'::bytea), (NULL, NULL, NULL)`,
      );
      await client.query('SELECT pg_sleep(0.5)');
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { rows } = await client.query<{ at: Date; span: { days: number }; raw: Buffer; third: number }>(
        'SELECT *, (1.0 / 3)::float8 AS third FROM kept WHERE at IS NOT NULL',
      );
      expect(rows[0]?.at).toEqual(new Date('2026-02-01T12:00:00Z'));
      expect(rows[0]?.span).toMatchObject({ days: 1 });
      expect(rows[0]?.raw).toEqual(Buffer.from([0, 255]));
      expect(rows[0]?.third).toBe(1 / 3);
    } finally {
      await disconnect(client);
    }
  });

  it('each of these parameters is proved to be in force', async () => {
    const { parameters } = await proveInForce({ ...cluster.target, asked: { parameters: hostile, version: null } });
    expect(parameters.map(({ name, inForce }) => [name, inForce])).toEqual(
      Object.keys(hostile)
        .toSorted((one, other) => (one < other ? -1 : 1))
        .map((name) => [name, true]),
    );
  });

  // Found by the lab: a parallel worker shows the settings of our own session as those of others.
  it('each of them is proved on a server that sends every query to a parallel worker, too', async () => {
    const { target } = cluster;
    const name = await forcesWorkers(cluster);
    await queryOn(target, `ALTER DATABASE ${target.database} SET ${name} = on`);
    try {
      const { parameters } = await proveInForce({ ...target, asked: { parameters: hostile, version: null } });
      expect(parameters.filter(({ inForce }) => inForce !== true)).toEqual([]);
      const plans = await plansOf(target, new Map([['one', 'SELECT count(*) FROM pg_class']]), signal);
      expect(plans.get('one')).toContain('Gather');
    } finally {
      await queryOn(target, `ALTER DATABASE ${target.database} RESET ${name}`);
    }
  });

  it('the load has them', async () => {
    const { stdout } = await runCommand(
      [`${cluster.programs}/psql`, '-XAtc', 'SHOW default_transaction_read_only', connectionString(cluster.target)],
      { environment: { PATH: process.env['PATH'], ...cluster.target.environment } },
    );
    expect(stdout.trim()).toBe('on');
  });

  it('pgbench loads, resets are done, and a script that cannot work is named', async () => {
    const one = generator();
    await one.load(cluster.target, { folder: cluster.folder, signal, onProgress: () => undefined });
    expect(await withConnection(cluster.target, (client) => one.missing(client))).toEqual([]);
    const own = { 'truncate-history': { statements: ['TRUNCATE pgbench_history'] } };
    await resetDatabase(cluster.target, { steps: ['truncate-history', 'vacuum', 'checkpoint'], own }, signal);
    const folder = path.join(cluster.folder, 'try-out');
    mkdirSync(folder);
    await expect(one.tryScripts(cluster.target, { folder, signal })).rejects.toThrow(
      /^The script tpcb-like does not run on test: /,
    );
  });

  it('files of the user load the same data as elsewhere', async () => {
    writeFileSync(
      path.join(cluster.folder, 'made.sql'),
      `CREATE TABLE made AS
         SELECT '03/04/2026'::date AS day, '{NULL}'::text[] = ARRAY[NULL]::text[] AS nulls, (1 = NULL) IS NULL AS unknown,
                length('ä') AS letters, '12:00 IST'::timetz::text AS at
           FROM pg_sleep(0.1);
       CREATE TABLE written (id int);
       CREATE FUNCTION write() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO written VALUES (1); RETURN NULL; END';
       CREATE TRIGGER writes AFTER INSERT ON made FOR EACH STATEMENT EXECUTE FUNCTION write();
       INSERT INTO made SELECT * FROM made;\n`,
    );
    const { target } = cluster;
    const latin = { ...target, environment: { ...target.environment, PGOPTIONS: '-c client_encoding=LATIN1' } };
    const one = generator({ sql: ['made.sql'] });
    await one.load(latin, { folder: cluster.folder, signal, onProgress: () => undefined });
    const { rows } = await withConnection(target, (client) =>
      client.query('SELECT DISTINCT made.*, day::text, (SELECT count(*)::int FROM written) AS written FROM made'),
    );
    expect(rows).toEqual([
      { day: '2026-03-04', nulls: true, unknown: true, letters: 1, at: '12:00:00+02', written: 1 },
    ]);
  });

  it('a user who may not set what others may does not load', async () => {
    const { target } = cluster;
    await queryOn(target, "CREATE ROLE humble LOGIN PASSWORD 'humble'");
    writeFileSync(path.join(cluster.folder, 'humble'), '*:*:*:humble:humble\n', { mode: 0o600 });
    const environment = { ...target.environment, PGPASSFILE: path.join(cluster.folder, 'humble') };
    const loading = { folder: cluster.folder, signal, onProgress: () => undefined };
    await expect(generator().load({ ...target, user: 'humble', environment }, loading)).rejects.toThrow(
      /^On test, session_replication_role is 'replica', which could make the loaded data differ .* may not set it to 'origin'\./,
    );
  });

  it('a lock is held for as long as a run takes', async () => {
    const locks = databaseLocks({ patienceSeconds: 0, pause: () => Promise.resolve() });
    const others = databaseLocks({ patienceSeconds: 0, pause: () => Promise.resolve() });
    await locks.hold(cluster.target, signal);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(others.hold(cluster.target, signal)).rejects.toThrow(/in use by another pgduet/);
    await locks.release();
  });
});

describe('load-run --local', () => {
  let tiny: TinyRun;
  beforeEach(() => {
    tiny = tinyRun();
  });
  const engine = (parameters: Readonly<Record<string, ParameterValue>>) => ({ engine: { parameters } });

  // Found by attack: extensions, and tables of the load, would go into the first schema of a search_path.
  it('measures a load that works under such parameters, and compares nothing that one side does not count', async () => {
    // The load has no time of its own: a transaction may take seconds where the machine is busy.
    const times = { statement_timeout: 30_000, idle_session_timeout: 30_000 };
    tiny.put('look.sql', 'SELECT abalance FROM public.pgbench_accounts WHERE aid = 1;\n');
    tiny.define({
      ...oneBlock,
      variants: {
        one: {},
        hostile: engine({ ...hostile, ...times, search_path: 'pg_catalog, public' }),
        uncounted: engine({ track_counts: false, track_activities: false, track_wal_io_timing: false }),
      },
      workload: { ...oneBlock.workload, scripts: [{ file: 'look.sql' }] },
      protocol: { ...oneBlock.protocol, reset: ['prewarm'] },
    });
    const { text, trials, variants, comparisons } = await tiny.measured();
    expect(text).not.toMatch(/could not prove|this is a bug/);
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']);
    expect(variants[1]?.settings).toMatchObject({
      timezone: 'Asia/Kathmandu',
      session_replication_role: 'replica',
    });
    const trialOf = (name: string) => trials.find(({ conditions }) => conditions.variant === name);
    const [one, uncounted] = [trialOf('one'), trialOf('uncounted')];
    for (const name of ['database.deadlocks', 'database.blocksHit', 'wal.syncTime', 'waits.active', 'turn.client']) {
      expect([name, one?.measures[name]]).toEqual([name, expect.any(Number)]);
      expect([name, uncounted?.measures[name] ?? null]).toEqual([name, null]);
      const compared = comparisons.find(
        ({ metric, candidate }) => metric === name && candidate.variant === 'uncounted',
      );
      expect(compared?.change ?? null).toBeNull();
    }
    expect(one?.facts.absent).not.toHaveProperty('database');
    expect(uncounted?.facts.absent).toMatchObject({
      database: expect.stringMatching(/^track_counts is off/) as string,
      'wait-events': expect.stringMatching(/^track_activities is off/) as string,
      wal: expect.stringMatching(/^track_wal_io_timing is off/) as string,
    });
  });

  it.each([
    [
      'refuses a server that no session can enter, and names the parameter',
      { session_preload_libraries: 'nosuch' },
      /The variant sets parameter session_preload_libraries: nosuch\. Change the value/,
    ],
    [
      'ends before the first trial where the load cannot work under one, with the server’s words',
      { default_transaction_read_only: true },
      /The script tpcb-like does not run on two: .*cannot execute UPDATE in a read-only transaction/,
    ],
  ])('%s', async (_, parameters, words) => {
    tiny.define({ ...oneBlock, variants: { one: {}, two: engine(parameters) } });
    expect(await tiny.refused()).toMatch(words);
  });
});
