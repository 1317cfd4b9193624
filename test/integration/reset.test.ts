import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../runner/postgres/client.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { completeRestore, keepLoadedCopy, restoreLoadedCopy } from '../../runner/postgres/loaded-copy.ts';
import { resetDatabase } from '../../runner/postgres/reset.ts';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { analyzePermitted, vacuumPermitted } from '../../runner/postgres/vacuum.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const cluster = clusterForAll();
/** Is like RDS's master user: owns the measured database, may terminate most sessions, and is no superuser. */
let measurer: Target;
const signal = new AbortController().signal;

beforeAll(async () => {
  const passwordFile = path.join(cluster.folder, 'measurer.pgpass');
  writeFileSync(passwordFile, '*:*:*:measurer:for-tests', { mode: 0o600 });
  measurer = { ...cluster.target, user: 'measurer', database: 'measured', environment: { PGPASSFILE: passwordFile } };
  await asSuperuser('postgres', `CREATE ROLE measurer LOGIN CREATEDB PASSWORD 'for-tests'`);
  await asSuperuser('postgres', 'GRANT pg_monitor, pg_signal_backend TO measurer');
});

beforeEach(async () => {
  await asSuperuser('postgres', 'CREATE DATABASE measured OWNER measurer');
  await queryOn(measurer, 'CREATE TABLE loaded AS SELECT 1 AS one');
});
afterEach(async () => {
  await asSuperuser('postgres', 'DROP DATABASE measured WITH (FORCE)');
  await asSuperuser('postgres', 'DROP DATABASE IF EXISTS measured_loaded WITH (FORCE)');
});

async function asSuperuser(database: string, statement: string): Promise<void> {
  await queryOn({ ...cluster.target, database }, statement);
}

/** Opens a session of somebody in the measured database, as long as `use` lasts. */
async function withSession(user: Target, use: (session: Client) => Promise<void>): Promise<void> {
  await withConnection({ ...user, database: 'measured' }, async (session) => {
    await session.query(`SET application_name TO 'psql'`);
    await use(session);
  });
}

describe('the copy of the loaded database', () => {
  it('is not taken while somebody stays in the database, who is named', async () => {
    await withSession(measurer, async () => {
      const keeping = keepLoadedCopy(measurer, signal, 1);
      await expect(keeping).rejects.toThrow(UserError);
      await expect(keeping).rejects.toThrow(
        /^test: database measured .* these sessions use it: measurer \(psql, 127\.0\.0\.1, pid \d+\)\. Close /,
      );
    });
  });

  it('waits for sessions longer than PostgreSQL itself does', async () => {
    const session = await connect(measurer);
    const logged = readFileSync(cluster.serverLog, 'utf8').length;
    const keeping = keepLoadedCopy(measurer, signal);
    await vi.waitFor(
      () => expect(readFileSync(cluster.serverLog, 'utf8').slice(logged)).toContain('is being accessed by other users'),
      { timeout: 60_000 },
    );
    await session.end();
    await keeping;
    await expect(restoreLoadedCopy(measurer, signal)).resolves.toBeUndefined();
  });
});

describe('the reset step restore', () => {
  beforeEach(() => keepLoadedCopy(measurer, signal));

  it('terminates what the user may terminate', async () => {
    await withSession(measurer, async (session) => {
      await session.query('DROP TABLE loaded');
      await resetDatabase(measurer, { steps: ['restore'], own: {} }, signal);
    });
    const { rows } = await queryOn(measurer, 'TABLE loaded');
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('names the superuser whom it may not, and leaves the database', async () => {
    await withSession(measurer, () =>
      withSession(cluster.target, async () => {
        const restoring = restoreLoadedCopy(measurer, signal, 1);
        await expect(restoring).rejects.toThrow(UserError);
        await expect(restoring).rejects.toThrow(
          / these sessions use it: postgres \(psql, 127\.0\.0\.1, pid \d+\)\. Close /,
        );
      }),
    );
    const { rows } = await queryOn(measurer, 'TABLE loaded');
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('is completed where it was cut off after the database was dropped', async () => {
    await asSuperuser('postgres', 'DROP DATABASE measured');
    await completeRestore(measurer, signal);
    const { rows } = await queryOn(measurer, 'TABLE loaded');
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('brings back the settings of the database, and of roles in it', async () => {
    for (const setting of [`synchronous_commit = off`, `search_path = 'a b', '', "$user"`]) {
      await queryOn(measurer, `ALTER DATABASE measured SET ${setting}`);
    }
    await queryOn(measurer, `ALTER ROLE measurer IN DATABASE measured SET work_mem = '5MB'`);
    await keepLoadedCopy(measurer, signal);
    await queryOn(measurer, 'ALTER DATABASE measured RESET ALL');
    await resetDatabase(measurer, { steps: ['restore'], own: {} }, signal);
    await resetDatabase(measurer, { steps: ['restore'], own: {} }, signal);
    const { rows } = await queryOn(
      { ...cluster.target, database: 'postgres' },
      `SELECT setrole::regrole::text AS role, setconfig AS settings FROM pg_db_role_setting s
           JOIN pg_database d ON d.oid = s.setdatabase WHERE datname = 'measured' ORDER BY 1`,
    );
    expect(rows).toEqual([
      { role: '-', settings: ['synchronous_commit=off', `search_path="a b", "", "$user"`] },
      { role: 'measurer', settings: ['work_mem=5MB'] },
    ]);
  });

  it('is not completed where nothing is missing, or nothing can be restored', async () => {
    await queryOn(measurer, 'INSERT INTO loaded VALUES (2)');
    await completeRestore(measurer, signal);
    const { rows } = await queryOn(measurer, 'TABLE loaded');
    expect(rows).toHaveLength(2);
    await asSuperuser('postgres', 'DROP DATABASE measured_loaded');
    await expect(completeRestore(measurer, signal)).resolves.toBeUndefined();
  });

  it('waits for the superuser whom it may not', async () => {
    const session = await connect({ ...cluster.target, database: 'measured' });
    const restoring = resetDatabase(measurer, { steps: ['restore'], own: {} }, signal);
    await withConnection({ ...cluster.target, database: 'postgres' }, (watcher) =>
      vi.waitFor(
        async () => {
          const { rows } = await watcher.query(
            `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DROP DATABASE%'`,
          );
          expect(rows).toHaveLength(1);
        },
        { timeout: 60_000 },
      ),
    );
    await session.end();
    await restoring;
  });
});

describe('the reset step vacuum', () => {
  beforeEach(async () => {
    await queryOn(
      measurer,
      `
        CREATE SCHEMA "Own";
        CREATE TABLE "Own".halves (id int) PARTITION BY RANGE (id);
        CREATE TABLE "Own".half_1 PARTITION OF "Own".halves FOR VALUES FROM (0) TO (10);
        CREATE TABLE "Own".half_2 PARTITION OF "Own".halves FOR VALUES FROM (10) TO (20);
        INSERT INTO "Own".halves VALUES (1), (11);
        CREATE MATERIALIZED VIEW "Own".seen AS SELECT 1`,
    );
    await asSuperuser('measured', 'CREATE TABLE theirs AS SELECT 1');
  });

  const owned = ['half_1', 'half_2', 'loaded', 'seen'];

  it.each([
    { owner: 'measurer', vacuumed: [...owned, 'theirs'] },
    { owner: 'postgres', vacuumed: owned },
  ])('vacuums what it may where $owner owns the database, without a warning', async ({ owner, vacuumed }) => {
    await asSuperuser('postgres', `ALTER DATABASE measured OWNER TO ${owner}`);
    await resetDatabase(measurer, { steps: ['vacuum'], own: {} }, signal);
    const { rows } = await queryOn<{ name: string }>(
      measurer,
      `SELECT relname AS name FROM pg_class
          WHERE relallvisible > 0 AND relnamespace IN ('public'::regnamespace, '"Own"'::regnamespace) ORDER BY name`,
    );
    expect(rows.map(({ name }) => name)).toEqual(vacuumed);
    expect(readFileSync(cluster.serverLog, 'utf8')).not.toContain('WARNING');
  });

  /** The measurer’s tables that have statistics, partitioned ones among them. */
  async function analyzed(): Promise<string[]> {
    const statement = `SELECT DISTINCT tablename || CASE WHEN inherited THEN ' as a whole' ELSE '' END AS name
       FROM pg_stats WHERE schemaname IN ('public', 'Own') ORDER BY name`;
    return (await queryOn<{ name: string }>(measurer, statement)).rows.map(({ name }) => name);
  }

  it('vacuums a partition once, also one whose partitioned table is another’s', async () => {
    const vacuums = async (): Promise<unknown> =>
      (
        await queryOn(
          measurer,
          `SELECT relname AS name, vacuum_count::int AS times FROM pg_stat_user_tables ORDER BY name`,
        )
      ).rows;
    await asSuperuser('postgres', 'ALTER DATABASE measured OWNER TO postgres');
    await asSuperuser('measured', 'ALTER TABLE ONLY "Own".halves OWNER TO postgres');
    await withConnection(measurer, (client) => vacuumPermitted(client, { analyze: true }), signal);
    await vi.waitFor(async () =>
      expect(await vacuums()).toEqual([
        { name: 'half_1', times: 1 },
        { name: 'half_2', times: 1 },
        { name: 'halves', times: 0 },
        { name: 'loaded', times: 1 },
        { name: 'seen', times: 1 },
        { name: 'theirs', times: 0 },
      ]),
    );
    expect(await analyzed()).toEqual(['half_1', 'half_2', 'loaded', 'seen']);
  });

  it.each([
    ['vacuumed and analyzed', (client: Client) => vacuumPermitted(client, { analyze: true })],
    ['analyzed', analyzePermitted],
  ])('a partitioned table that is %s has statistics as a whole, too', async (_, carryOut) => {
    await withConnection(measurer, carryOut, signal);
    expect(await analyzed()).toEqual(['half_1', 'half_2', 'halves as a whole', 'loaded', 'seen']);
  });
});

describe('the reset step checkpoint', () => {
  /** Bytes of the present WAL segment that lie before the last checkpoint. */
  async function bytesBefore(): Promise<number> {
    const superuser = { ...cluster.target, database: 'measured' };
    const { rows } = await queryOn<{ bytes: number }>(
      superuser,
      `SELECT (redo_lsn - '0/0') % setting::int8 AS bytes FROM pg_control_checkpoint(), pg_settings
          WHERE name = 'wal_segment_size'`,
    );
    return Number(rows[0]?.bytes);
  }

  it('starts a trial at the start of a WAL segment', async () => {
    await queryOn(measurer, 'INSERT INTO loaded SELECT generate_series(1, 20000)');
    const superuser = { ...cluster.target, database: 'measured' };
    const { warnings } = await resetDatabase(superuser, { steps: ['checkpoint'], own: {} }, signal);
    expect(warnings).toEqual([]);
    expect(await bytesBefore()).toBeLessThan(1000);
  });

  it('leaves the segment as it is where the user may not switch it', async () => {
    if (cluster.major < 15) return;
    await asSuperuser('postgres', 'GRANT pg_checkpoint TO measurer');
    await queryOn(measurer, 'INSERT INTO loaded SELECT generate_series(1, 20000)');
    await resetDatabase(measurer, { steps: ['checkpoint'], own: {} }, signal);
    expect(await bytesBefore()).toBeGreaterThan(100_000);
  });
});
