import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { drawOwnLimit } from '../../runner/postgres/own-database.ts';
import { waitUntil } from '../../runner/process/wait-until.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { type LocalCluster, queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';
import { repeats } from '../helpers/repeats.ts';
import { oneBlock, type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';

// Autovacuum would connect to databases of others, too, whose counters show here whether anybody did.
const quiet = { autovacuum: 'off' };
const servers = [clusterForAll(quiet), clusterForAll(quiet)] as const;
const services = new Services();
const mark = (experiment: string): string =>
  `Made by pgduet for the experiment ${experiment}, and dropped by it. pgduet writes to no database without this comment.`;

/** What databases of others have of the mark. Only both halves together are pgduet’s. */
const kinds = {
  nothing: {},
  comment: { comment: 'ours, keep it' },
  'comment and limit': { comment: 'ours, keep it', limit: drawOwnLimit() },
  'only the comment of pgduet': { comment: mark('tiny') },
  'a limit like that of pgduet': { limit: drawOwnLimit() },
  'the mark of another experiment': { comment: mark('other'), limit: drawOwnLimit() },
} satisfies Record<string, { comment?: string; limit?: number }>;
type Kind = keyof typeof kinds;

const taken = ['pgduet_tiny', 'pgduet_tiny_loaded'] as const;
const near = ['pgduet_', 'pgduet_tin', 'pgduet_tiny2', 'PGDUET_TINY', 'pgduet_tiny_loaded_loaded', 'pgduet_tiny-x'];

beforeAll(async () => {
  for (const [index, server] of servers.entries()) {
    await services.addRole(`server-${index}`, server);
    for (const [at, name] of near.entries()) await make(server, name, Object.keys(kinds)[at] as Kind);
  }
});

/** A database of the role that pgduet uses, so only the mark keeps pgduet from it. */
async function make(server: LocalCluster, name: string, kind: Kind): Promise<void> {
  const { comment, limit = -1 }: { comment?: string; limit?: number } = kinds[kind];
  const owner = `server-${servers.findIndex((one) => one.target.port === server.target.port)}`;
  await queryOn(server.target, `CREATE DATABASE "${name}" OWNER "${owner}" CONNECTION LIMIT ${limit}`);
  if (comment !== undefined) await queryOn(server.target, `COMMENT ON DATABASE "${name}" IS '${comment}'`);
  const inside = { ...server.target, database: name };
  await queryOn(inside, 'CREATE TABLE pgbench_accounts AS SELECT 7 AS mine');
  await queryOn(inside, `ALTER TABLE pgbench_accounts OWNER TO "${owner}"`);
  await nobodyIn(server, `datname = '${name}'`);
}

async function nobodyIn({ target }: LocalCluster, condition: string): Promise<void> {
  const isEmpty = async (): Promise<boolean> =>
    (await queryOn(target, `SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${condition} LIMIT 1`)).rows
      .length === 0;
  await waitUntil(isEmpty, { seconds: 60, everyMs: 50 });
}

/**
 * What is of others: databases with the counters of all that was ever done in them, and roles and settings. It is read
 * without a session in any of these databases.
 */
async function foreignState({ target }: LocalCluster, laid: ReadonlySet<string>): Promise<unknown> {
  const { rows } = await queryOn(
    target,
    `SELECT
       (SELECT jsonb_agg(to_jsonb(d) || jsonb_build_object('comment', shobj_description(d.oid, 'pg_database'),
          'sessions', s.sessions, 'commits', s.xact_commit, 'rollbacks', s.xact_rollback, 'killed', s.sessions_killed,
          'written', s.tup_inserted + s.tup_updated + s.tup_deleted, 'size', pg_database_size(d.oid)) ORDER BY d.datname)
        FROM pg_database d JOIN pg_stat_database s ON s.datid = d.oid
        WHERE d.datname NOT IN ('postgres', current_database()) AND d.datname <> ALL ($1)) AS databases,
       (SELECT jsonb_agg(to_jsonb(r) ORDER BY r.rolname) FROM pg_authid r) AS roles,
       (SELECT jsonb_agg(to_jsonb(m)) FROM pg_auth_members m) AS members,
       (SELECT jsonb_agg(jsonb_build_array(name, setting) ORDER BY name) FROM pg_file_settings) AS settings,
       (SELECT jsonb_agg(to_jsonb(s)) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = setdatabase
         WHERE datname <> ALL ($1)) AS "settingsOf",
       (SELECT jsonb_agg(spcname) FROM pg_tablespace) AS tablespaces`,
    [taken.filter((name) => !laid.has(name))],
  );
  return rows[0];
}

const killed = fc.option(
  fc.record({ signal: fc.constantFrom('SIGINT', 'SIGKILL'), after: fc.integer({ min: 500, max: 9000 }) }),
  { freq: 2, nil: undefined },
);
const folders: string[][] = [[], ['--out', 'elsewhere']];
const verb = (measures: boolean, ...parts: fc.Arbitrary<string[]>[]) =>
  fc.record({
    do: fc.constant('verb' as const),
    measures: fc.constant(measures),
    args: fc.tuple(...parts).map((all) => all.flat()),
    killed,
  });
const onServers = fc.constantFrom<string[][]>(
  ['--servers', 'server-0,server-1'],
  ['--servers', 'two=server-0,one=server-1'],
);
const profile = fc.constantFrom<string[][]>([], ['--profile', 'copies']);
const out = fc.constantFrom(...folders);
const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: verb(
      true,
      fc.constantFrom(
        ['load-run', 'tiny'],
        ['load', 'tiny'],
        ['run', 'tiny'],
        ['run', 'tiny', '--resume'],
        ['load-run', 'tiny', '--resume'],
      ),
      ...[onServers, profile, out],
      fc.constantFrom<string[][]>([], ['--allow-activity'], ['--quiet'], ['--keep']),
    ),
  },
  { weight: 1, arbitrary: verb(false, fc.constant(['clean']), out) },
  {
    weight: 1,
    arbitrary: verb(false, fc.constantFrom(['plan', 'tiny', '--servers', 'server-0,server-1'], ['doctor'])),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('lay' as const),
      lay: fc.constantFrom(...taken),
      on: fc.constantFrom(0, 1),
      kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lift' as const) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** The walk of steps through two servers, until the time is over. */
async function walk(tiny: TinyRun, steps: Iterable<Step>, seconds: number): Promise<number> {
  const laid = servers.map(() => new Set<string>());
  const look = () => Promise.all(servers.map((server, index) => foreignState(server, laid[index] ?? new Set())));
  const run = (...args: string[]) => tiny.runAs({ environment: services.environment }, ...args);
  const end = Date.now() + seconds * 1000;
  let before = await look();
  let runs = 0;
  for (const step of steps) {
    if (Date.now() > end) break;
    if (step.do === 'verb') {
      const { process, ended } = run(...step.args);
      const { signal, after } = step.killed ?? {};
      if (signal) void Promise.race([sleep(after), ended]).then(() => process.kill(signal));
      const { exitCode, stderr } = await ended;
      const what = `${step.args.join(' ')} (${signal} after ${after} ms) beside ${JSON.stringify(laid.map((all) => [...all]))}: ${stderr}`;
      expect(await look(), what).toEqual(before);
      if (step.measures && !signal && laid.some(({ size }) => size > 0)) expect(exitCode, what).toBe(2);
      runs += 1;
      continue;
    }
    for (const [index, server] of servers.entries()) {
      await nobodyIn(server, "application_name LIKE 'pgduet%'");
      const gone = step.do === 'lift' ? [...(laid[index] ?? [])] : step.on === index ? [step.lay] : [];
      for (const name of gone) {
        await queryOn(server.target, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
        laid[index]?.delete(name);
      }
      if (step.do !== 'lay' || step.on !== index) continue;
      await make(server, step.lay, step.kind);
      laid[index]?.add(step.lay);
    }
    before = await look();
  }
  return runs;
}

const seconds = repeats(900);
const timeout = (seconds + 90) * 1000;

it(
  'nothing without the mark is written to, whatever the verbs, their options, and the moment of their end',
  async () => {
    const tiny = tinyRun();
    tiny.define({
      ...oneBlock,
      protocol: { ...oneBlock.protocol, warmUpSeconds: 0 },
      workload: { ...oneBlock.workload, durationSeconds: 1 },
      profiles: { local: {}, copies: { protocol: { reset: ['restore'] } } },
    });
    const steps = fc.sample(anyStep, { seed: 20261130, numRuns: 1000 });
    expect(await walk(tiny, steps, seconds)).toBeGreaterThan(5);
  },
  timeout,
);
