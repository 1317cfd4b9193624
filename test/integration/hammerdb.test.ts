import { hammerdbGenerator } from '../../runner/workloads/hammerdb/generator.ts';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import { keepLoadedCopy, restoreLoadedCopy } from '../../runner/postgres/loaded-copy.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { buildRole, makeBuildRole } from '../../runner/workloads/hammerdb/load.ts';
import { hammerdbSchema } from '../../runner/workloads/hammerdb/schema.ts';
import type { LoadGenerator } from '../../runner/workloads/load-generator.ts';
import { hasTcl, observed, type Scenario, standIn, valueIn, wholeBuild } from '../helpers/hammerdb/stand-in.ts';
import { ownTemporaryFolder } from '../helpers/own-temporary-folder.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const temporary = ownTemporaryFolder();

const { signal } = new AbortController();
const cluster = clusterForAll({ synchronous_commit: 'off', fsync: 'off' });
/** As on RDS: no superuser, and the owner of the database. */
let target: Target;
beforeEach(async () => {
  await asSuperuser(
    'DROP DATABASE IF EXISTS tprocc WITH (FORCE)',
    'DROP DATABASE IF EXISTS tprocc_loaded',
    `DROP ROLE IF EXISTS ${buildRole}`,
    'DROP ROLE IF EXISTS master',
    `CREATE ROLE master LOGIN CREATEDB CREATEROLE PASSWORD '${password()}'`,
    'CREATE DATABASE tprocc OWNER master',
  );
  const passwords = path.join(temporary(), 'pgpass');
  writeFileSync(passwords, `*:*:*:master:${password()}\n`, { mode: 0o600 });
  target = { ...cluster.target, user: 'master', database: 'tprocc', environment: { PGPASSFILE: passwords } };
});

/** That of the cluster. */
function password(): string {
  const file = cluster.target.environment['PGPASSFILE'] ?? '';
  return readFileSync(file, 'utf8').trim().split(':').slice(4).join(':');
}

async function asSuperuser(...statements: string[]): Promise<void> {
  for (const statement of statements) await withConnection(cluster.target, (client) => client.query(statement), signal);
}

async function rows(query: string, of: Target = target): Promise<Record<string, unknown>[]> {
  return withConnection(of, async (client) => (await client.query<Record<string, unknown>>(query)).rows, signal);
}

const whole: Scenario = { build: 'v6-build.log', check: 'v6-check.log', run: 'v6-run.log', statement: wholeBuild };

function generator(scenario: Scenario): LoadGenerator & { install: string } {
  const install = standIn(scenario);
  vi.stubEnv('PGDUET_HAMMERDB', install);
  const declared = hammerdbSchema.parse({
    tool: 'hammerdb',
    warehouses: 1,
    users: 2,
    durationMinutes: 1,
    buildUsers: 1,
  });
  // The recorded build is one by two users.
  const workload = { ...declared, users: 2, buildUsers: 2 };
  return { ...hammerdbGenerator({ programs: cluster.programs, scriptFolder: '', collect: [], workload }), install };
}

const progress: number[] = [];
const request = () => ({ folder: cluster.folder, signal, onProgress: (done: number) => void progress.push(done) });
const missing = (tool: LoadGenerator): Promise<string[]> =>
  withConnection(target, (client) => tool.missing(client), signal);

async function expectNoRole(): Promise<void> {
  expect(await rows(`SELECT rolname FROM pg_roles WHERE rolname = '${buildRole}'`)).toEqual([]);
  expect(await rows(`SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = 'tprocc'`)).toEqual([
    { owner: 'master' },
  ]);
}

describe.skipIf(!hasTcl)('a build', () => {
  it('is done by its own role, which is gone afterwards, and leaves the target’s user as it was', async () => {
    const [before] = await rows(`SELECT rolpassword FROM pg_authid WHERE rolname = 'master'`, cluster.target);
    const tool = generator(whole);
    await tool.load(target, request());
    const [build = '', check = ''] = observed(tool.install);
    expect([valueIn(build, 'pg_user'), valueIn(check, 'pg_user')]).toEqual([buildRole, 'master']);
    await expectNoRole();
    expect(await rows(`SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
      { tableowner: 'master' },
    ]);
    expect(await rows(`SELECT rolpassword FROM pg_authid WHERE rolname = 'master'`, cluster.target)).toEqual([before]);
    expect(await missing(tool)).toEqual([]);
    expect(progress.at(-1)).toBe(1);
    const secret = valueIn(build, 'pg_pass') ?? '';
    expect(secret).toMatch(/^[0-9a-f]{48}$/);
    const logs = readdirSync(cluster.folder).map((name) => readFileSync(path.join(cluster.folder, name), 'utf8'));
    expect(logs.join('\n')).toContain('TPCC SCHEMA COMPLETE');
    expect(logs.join('\n')).not.toContain(secret);
    // A copy has the same owners, so that trials can be restored from it.
    await keepLoadedCopy(target, signal);
    await restoreLoadedCopy(target, signal);
    expect(await missing(tool)).toEqual([]);
  });

  it('replaces an earlier one, also one that was cut off', async () => {
    const tool = generator(whole);
    await tool.load(target, request());
    await withConnection(target, (client) => makeBuildRole(client, 1), signal);
    await tool.load(target, request());
    await expectNoRole();
    expect(await missing(tool)).toEqual([]);
  });

  it.each([
    ['v6-build-failed-example.log', /^HammerDB: Error in Virtual User 1: Failed to load Pgtcl/],
    // HammerDB would wait for ever.
    ['v6-build-hang-example.log', /^HammerDB: Error in Virtual User 2: Attempt to query while COPY in progress/],
    ['tclerror', /^HammerDB: invalid command name/],
    ['exit3', /^HammerDB exited with 3/],
  ])('that fails (%s) leaves no role', async (build, message) => {
    await expect(generator({ ...whole, build }).load(target, request())).rejects.toThrow(message);
    await expectNoRole();
  });

  it('that fails its check is none', async () => {
    const tool = generator({ ...whole, check: 'v6-check-failed-example.log' });
    await expect(tool.load(target, request())).rejects.toThrow(/row count of 46000 is less than expected/);
    await expectNoRole();
  });
});

it.skipIf(!hasTcl)('names what is missing', async () => {
  const tool = generator(whole);
  expect((await missing(tool)).slice(0, 2)).toEqual(['table warehouse', 'table district']);
  await tool.load(target, request());
  await rows(
    'DELETE FROM district; DROP PROCEDURE slev; DELETE FROM stock WHERE ctid IN (SELECT ctid FROM stock LIMIT 1)',
  );
  expect(await missing(tool)).toEqual([
    '10 districts (found 0)',
    '100,000 stock of warehouse 1 (found 99,999)',
    '5 procedures (found 4)',
  ]);
});
