import { loadArguments } from '../../runner/workloads/pgbench/arguments.ts';
import type { Client } from '../../runner/postgres/client.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import { type Contents, contentsOf, differencesOf } from '../../runner/postgres/contents.ts';
import {
  keepLoadedCopy,
  type LoadMark,
  readLoadMark,
  removeLoadMark,
  restoreLoadedCopy,
  writeLoadMark,
} from '../../runner/postgres/loaded-copy.ts';
import { connectionString, type Target } from '../../runner/postgres/target.ts';
import { readDatabase } from '../../runner/postgres/reset.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { missingFromLoad } from '../../runner/workloads/pgbench/generator.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const cluster = clusterForAll({ fsync: 'off' });
let measured: Target;
beforeAll(() => {
  measured = { ...cluster.target, database: 'measured' };
});

const create = (): Promise<void> => execute('CREATE DATABASE measured', 'postgres');
async function drop(): Promise<void> {
  await execute('DROP DATABASE measured WITH (FORCE)', 'postgres');
  await execute('DROP DATABASE IF EXISTS measured_loaded WITH (FORCE)', 'postgres');
}

/** Each test of the group that calls this begins with an empty database. */
function emptyForEach(): void {
  beforeEach(create);
  afterEach(drop);
}

async function execute(statement: string, database = 'measured'): Promise<void> {
  await queryOn({ ...cluster.target, database }, statement);
}

async function pgbench(load: object): Promise<ReturnType<typeof workload>> {
  const declared = workload(load);
  const command = [`${cluster.programs}/pgbench`, ...loadArguments(resolveLevel(declared))];
  await runChecked([...command, connectionString(measured)], {
    environment: { PATH: process.env['PATH'], ...measured.environment },
  });
  return declared;
}
const workload = (load: object) =>
  pgbenchSchema.parse({ tool: 'pgbench', scale: 2, clients: 1, durationSeconds: 1, load });

describe('the mark of a finished load', () => {
  emptyForEach();
  const mark = { tool: 'pgbench', loadedBy: { scale: 2, what: "it's" }, finishedAt: '2026-11-21T12:00:00.000Z' };
  const read = (): Promise<LoadMark | null> => withConnection(measured, readLoadMark);

  it('is read as it was written, and goes with the database into its copy and back', async () => {
    expect(await read()).toBeNull();
    await withConnection(measured, (client) => writeLoadMark(client, mark));
    expect(await read()).toEqual({ kind: 'pgduet-load', ...mark });
    await keepLoadedCopy(measured, signal);
    await withConnection(measured, removeLoadMark);
    expect(await read()).toBeNull();
    await restoreLoadedCopy(measured, signal);
    expect(await read()).toMatchObject(mark);
  });

  it('outlasts a load of the tool, so that it has to be removed before one', async () => {
    await withConnection(measured, (client) => writeLoadMark(client, mark));
    await pgbench({});
    expect(await read()).toMatchObject(mark);
    await withConnection(measured, removeLoadMark);
    await withConnection(measured, removeLoadMark);
  });
});

describe('the contents of a database', () => {
  emptyForEach();
  const contents = (maxBytes?: number): Promise<Contents> =>
    withConnection(measured, (client) => contentsOf(client, maxBytes));
  const between = (one: Contents, other: Contents): string[] =>
    differencesOf([
      { server: 'one', contents: one },
      { server: 'other', contents: other },
    ]);

  it('are counted, or estimated where that takes long, and differ by rows, by what is switched off, and by what is not there', async () => {
    await pgbench({ foreignKeys: true });
    await execute(`CREATE SEQUENCE numbers;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER refuses BEFORE INSERT ON pgbench_history FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const [all, little] = [await contents(), await contents(0)];
    expect(all.rows).toEqual({
      'public.pgbench_accounts': { rows: 200_000, counted: true },
      'public.pgbench_branches': { rows: 2, counted: true },
      'public.pgbench_history': { rows: 0, counted: true },
      'public.pgbench_tellers': { rows: 20, counted: true },
    });
    expect(little.rows['public.pgbench_accounts']).toEqual({ rows: 200_000, counted: false });
    expect([...between(all, all), ...between(all, little)]).toEqual([]);

    await execute(`DELETE FROM pgbench_tellers WHERE tid = 7; SELECT nextval('numbers');
      ALTER TABLE pgbench_tellers DISABLE TRIGGER ALL; ALTER TABLE pgbench_history DISABLE TRIGGER refuses;
      ALTER TABLE pgbench_history DROP CONSTRAINT pgbench_history_tid_fkey`);
    expect(between(all, await contents())).toEqual([
      'table public.pgbench_tellers has 20 rows on one, and 19 on other',
      'changed constraint trigger of public.pgbench_tellers is not there on one, and disabled on other',
      'constraint pgbench_history_tid_fkey of public.pgbench_history is there on one, and not there on other',
      'sequence public.numbers is at its start on one, and at 1 on other',
      'trigger refuses of public.pgbench_history is enabled on one, and disabled on other',
    ]);
  });
});

describe('the definitions of what a database holds', () => {
  let client: Client;
  const held = (): Promise<Contents> => contentsOf(client);
  const change = (statement: string): Promise<unknown> => client.query(statement);
  const between = (one: Contents, other: Contents): string[] =>
    differencesOf([
      { server: 'one', contents: one },
      { server: 'other', contents: other },
    ]);
  beforeAll(async () => {
    await create();
    await execute(`CREATE TYPE mood AS ENUM ('good'); CREATE DOMAIN small AS int CHECK (VALUE < 9); CREATE SEQUENCE numbers;
      CREATE TABLE held (id int, name text, mood mood, tiny small, CHECK (id > 0)); CREATE INDEX by_id ON held (id);
      CREATE VIEW seen AS SELECT id FROM held; CREATE STATISTICS both_of ON id, name FROM held;
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$;
      CREATE AGGREGATE product(int) (SFUNC = int4mul, STYPE = int, INITCOND = '1');
      CREATE TRIGGER fires BEFORE INSERT ON held FOR EACH ROW EXECUTE FUNCTION f();
      CREATE TABLE parent (id int); CREATE TABLE child (id int);
      CREATE FOREIGN DATA WRAPPER none; CREATE SERVER far FOREIGN DATA WRAPPER none;
      CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (password 'secret');
      CREATE FOREIGN TABLE distant (id int) SERVER far;
      CREATE TEXT SEARCH CONFIGURATION words (COPY = simple); CREATE TEXT SEARCH DICTIONARY plain (TEMPLATE = simple);
      CREATE PUBLICATION part_of_it FOR TABLE held;
      CREATE POLICY own ON held USING (id > 1); CREATE RULE never AS ON DELETE TO held DO INSTEAD NOTHING`);
  });
  afterAll(drop);
  // What a test changes is taken back: a database for each would take ten times as long.
  beforeEach(async () => {
    client = await connect(measured);
    await change('BEGIN');
  });
  afterEach(async () => {
    await change('ROLLBACK');
    await client.end();
  });

  it.each([
    ['ALTER TABLE held SET (fillfactor = 50)', 'table public.held'],
    ['ALTER TABLE held ENABLE ROW LEVEL SECURITY', 'table public.held'],
    ['ALTER TABLE held ALTER tiny TYPE bigint', 'column tiny of public.held'],
    ['ALTER TABLE held ALTER id SET DEFAULT 7', 'column id of public.held'],
    ['ALTER TABLE held ALTER id SET NOT NULL', 'column id of public.held'],
    ['ALTER TABLE held ALTER id SET STATISTICS 1000', 'column id of public.held'],
    ['ALTER TABLE held ALTER name SET STORAGE EXTERNAL', 'column name of public.held'],
    ['ALTER TABLE held ALTER name TYPE text COLLATE "C"', 'column name of public.held'],
    ['DROP INDEX by_id; CREATE INDEX by_id ON held (id) WHERE id > 5', 'index public.by_id'],
    [
      'ALTER TABLE held DROP CONSTRAINT held_id_check, ADD CONSTRAINT held_id_check CHECK (id > 1)',
      'constraint held_id_check of public.held',
    ],
    ['CREATE OR REPLACE VIEW seen AS SELECT id FROM held WHERE id > 3', 'view public.seen'],
    [
      'DROP STATISTICS both_of; CREATE STATISTICS both_of (ndistinct) ON id, name FROM held',
      'statistics public.both_of',
    ],
    [
      'CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NULL; RETURN NEW; END$$',
      'function public.f()',
    ],
    [
      "DROP AGGREGATE product(int); CREATE AGGREGATE product(int) (SFUNC = int4mul, STYPE = int, INITCOND = '2')",
      'function public.product(integer)',
    ],
    [
      'CREATE OR REPLACE TRIGGER fires BEFORE INSERT ON held FOR EACH STATEMENT EXECUTE FUNCTION f()',
      'trigger fires of public.held',
    ],
    ['ALTER POLICY own ON held USING (id > 2)', 'policy own of public.held'],
    ['CREATE OR REPLACE RULE never AS ON DELETE TO held DO ALSO NOTHING', 'rule never of public.held'],
    ['ALTER TABLE held DISABLE RULE never', 'rule never of public.held'],
    ['ALTER TABLE held REPLICA IDENTITY FULL', 'table public.held'],
    ['ALTER TABLE held CLUSTER ON by_id', 'index public.by_id'],
    ['ALTER SEQUENCE numbers CACHE 100', 'sequence public.numbers'],
    ["ALTER TYPE mood ADD VALUE 'bad'", 'type public.mood'],
    ['ALTER DOMAIN small SET NOT NULL', 'type public.small'],
    ['ALTER VIEW seen SET (security_barrier = true)', 'view public.seen'],
    ['ALTER VIEW seen ALTER id SET DEFAULT 7', 'column id of public.seen'],
    ['ALTER TABLE held SET (toast.autovacuum_enabled = false)', 'table public.held'],
    ['ALTER TABLE child INHERIT parent', 'table public.child'],
    [
      "DROP AGGREGATE product(int); CREATE AGGREGATE product(int) (SFUNC = int4mul, STYPE = int, INITCOND = '1', PARALLEL = SAFE)",
      'function public.product(integer)',
    ],
    ["ALTER SERVER far OPTIONS (ADD password 'secret')", 'server far'],
    [
      "ALTER USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (SET password 'other')",
      'user mapping for postgres on server far',
    ],
    ["ALTER FOREIGN TABLE distant OPTIONS (ADD name 'held')", 'table public.distant'],
    ["ALTER FOREIGN TABLE distant ALTER id OPTIONS (ADD name 'other')", 'column id of public.distant'],
    [
      'ALTER TEXT SEARCH CONFIGURATION words ALTER MAPPING FOR asciiword WITH english_stem',
      'text search configuration public.words',
    ],
    ["ALTER TEXT SEARCH DICTIONARY plain (StopWords = 'english')", 'text search dictionary public.plain'],
    ["ALTER PUBLICATION part_of_it SET (publish = 'insert')", 'publication part_of_it'],
    ['ALTER PUBLICATION part_of_it SET TABLE held (id)', 'publication part_of_it'],
    ['ALTER PUBLICATION part_of_it SET TABLE held WHERE (id > 3)', 'publication part_of_it'],
  ])('tell %s', async (statement, name) => {
    const before = await held();
    expect(between(before, await held())).toEqual([]);
    await change(statement);
    const after = await held();
    const differences = between(before, after).filter(
      (words) => words.startsWith(`${name} `) || words.startsWith(`${name}:`),
    );
    expect(differences, JSON.stringify(between(before, after))).toHaveLength(1);
    // Another version may write the same in other words.
    expect(between(before, { ...after, major: after.major + 1 })).toEqual([]);
  });

  it.each([
    ['CREATE RULE drops AS ON UPDATE TO held DO INSTEAD NOTHING', 'rule drops of public.held'],
    ['CREATE RULE drops AS ON UPDATE TO seen DO INSTEAD NOTHING', 'rule drops of public.seen'],
    ['GRANT SELECT ON held TO pg_monitor', 'privileges of public.held'],
    ['GRANT UPDATE (id) ON held TO pg_monitor', 'privileges of column id of public.held'],
    ['REVOKE EXECUTE ON FUNCTION f() FROM PUBLIC', 'privileges of function public.f()'],
    ['CREATE USER MAPPING FOR PUBLIC SERVER far', 'user mapping for public on server far'],
    ['CREATE STATISTICS more ON id, tiny FROM held', 'statistics public.more'],
    ['CREATE POLICY other ON held USING (id > 2)', 'policy other of public.held'],
    ['CREATE TYPE pair AS (a int, b int)', 'type public.pair'],
    ['CREATE CAST (mood AS int) WITH INOUT', 'cast (public.mood AS integer)'],
    ['CREATE SCHEMA empty', 'schema empty'],
    ["CREATE TYPE shade AS ENUM ('light')", 'type public.shade'],
    ['CREATE DOMAIN large AS int', 'type public.large'],
    ['SELECT lo_create(4711)', 'large objects'],
    ['CREATE PUBLICATION all_of_it FOR TABLE held', 'publication all_of_it'],
    ['CREATE EXTENSION pg_trgm', 'extension pg_trgm'],
    ['CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)', 'operator public.===(integer,integer)'],
    ["CREATE COLLATION ours (LOCALE = 'C')", 'collation public.ours'],
    ['CREATE EVENT TRIGGER watches ON ddl_command_start EXECUTE FUNCTION watch()', 'event trigger watches'],
    ['ALTER ROLE CURRENT_USER SET synchronous_commit = off', 'settings of role postgres'],
    [
      'ALTER ROLE CURRENT_USER IN DATABASE measured SET synchronous_commit = off',
      'settings of role postgres in database measured',
    ],
    ['ALTER DATABASE measured SET synchronous_commit = off', 'settings in database measured'],
    ['ALTER TABLE held ADD extra int', 'column extra of public.held'],
  ])('tell what is on one server only, of whatever major version: %s', async (statement, name) => {
    await change('CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN END$$');
    const before = await held();
    await change(statement);
    const after = await held();
    for (const major of [after.major, after.major + 1]) {
      const all = between({ ...before, major }, after);
      const differences = all.filter((words) => words.startsWith(`${name} `) || words.startsWith(`${name}:`));
      expect(differences, JSON.stringify(all)).toHaveLength(1);
    }
  });

  it('tell of an event trigger that is switched off', async () => {
    await change(`CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN END$$;
      CREATE EVENT TRIGGER watches ON ddl_command_start EXECUTE FUNCTION watch()`);
    const before = await held();
    await change('ALTER EVENT TRIGGER watches DISABLE');
    expect(between(before, await held())).toEqual(['event trigger watches is enabled on one, and disabled on other']);
  });

  it('never hold a password', async () => {
    expect(JSON.stringify(await held())).not.toContain('secret');
  });

  it('are the same where OIDs, roles of the provider and members of extensions differ, and privileges came and went', async () => {
    const made = `CREATE TYPE running AS (n bigint, s bigint);
      CREATE FUNCTION add_one(running, int) RETURNS running LANGUAGE sql AS 'SELECT $1';
      CREATE AGGREGATE my_avg(int) (SFUNC = add_one, STYPE = running, MSFUNC = add_one, MINVFUNC = add_one, MSTYPE = running, SORTOP = <)`;
    const remade = `DROP AGGREGATE my_avg(int); DROP FUNCTION add_one; DROP TYPE running`;
    await change(made);
    const before = await held();
    await change(`${remade}; ${made}; GRANT SELECT ON held TO pg_monitor; REVOKE SELECT ON held FROM pg_monitor;
      CREATE ROLE provider; ALTER ROLE provider SET work_mem = '1MB'; CREATE EXTENSION tablefunc`);
    expect(between(before, await held())).toEqual(['extension tablefunc: only on other, not on one']);
  });

  // Found by attack: a bigserial in a schema of the search_path was another column on the other server.
  it('are the same whatever the search_path leads to, which stays as it is', async () => {
    await change('CREATE SCHEMA fast CREATE TABLE note (id bigserial, t text)');
    const before = await held();
    await change('SET search_path = fast, public');
    expect(between(before, await held())).toEqual([]);
    expect((await client.query('SHOW search_path')).rows).toEqual([{ search_path: 'fast, public' }]);
  });

  it('do not tell again of what is missing with its table', async () => {
    const before = await held();
    await change('DROP VIEW seen; DROP TABLE held');
    const differences = between(before, await held());
    expect(differences).toContain('table public.held is there on one, and not there on other');
    expect(differences.filter((words) => words.startsWith('column '))).toEqual([]);
  });
});

describe('what is missing from a load of pgbench', () => {
  emptyForEach();
  const missing = (declared: Parameters<typeof missingFromLoad>[1]): Promise<string[]> =>
    withConnection(measured, (client) => missingFromLoad(client, declared));

  it.each([{}, { foreignKeys: true }, { partitions: 3, foreignKeys: true }])('is nothing after %j', async (load) => {
    expect(await missing(await pgbench(load))).toEqual([]);
  });

  it('is every table of an empty database', async () => {
    expect(await missing(workload({}))).toHaveLength(4);
  });

  it('is named: rows of another scale, a key, the last account', async () => {
    const declared = await pgbench({});
    expect(await missing({ ...declared, scale: 3 })).toEqual([
      '3 branches (found 2)',
      '30 tellers (found 20)',
      '300,000 accounts (found 200,000)',
    ]);
    await execute('ALTER TABLE pgbench_tellers DROP CONSTRAINT pgbench_tellers_pkey');
    await execute('DELETE FROM pgbench_accounts WHERE aid > 199990');
    expect(await missing(declared)).toEqual(['200,000 accounts (found 199,990)', '3 primary keys (found 2)']);
    expect(await missing({ ...declared, load: { ...declared.load, foreignKeys: true } })).toContain(
      '5 foreign keys (found 0)',
    );
  });
});

describe('touching', () => {
  emptyForEach();
  it('reads every block of tables and indexes from the volume, changes nothing, and tells how many bytes that was', async () => {
    await pgbench({});
    await execute('VACUUM');
    const sizes = await withConnection(measured, async (client) => {
      const { rows } = await client.query<{ bytes: string }>(
        `SELECT sum(pg_relation_size(oid)) AS bytes FROM pg_class WHERE relname LIKE 'pgbench%'`,
      );
      return Number(rows[0]?.bytes);
    });
    const progress: number[] = [];
    const { bytes } = await readDatabase(measured, {
      into: 'nothing',
      signal,
      onProgress: (done) => progress.push(done),
    });
    expect(bytes).toBeGreaterThan(sizes);
    expect(bytes).toBeLessThan(sizes + 20e6);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    await withConnection(measured, async (client) => {
      expect((await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'pg_prewarm'`)).rowCount).toBe(0);
    });
  });

  it('ends where it is interrupted', async () => {
    await pgbench({});
    const interruption = new AbortController();
    const touching = readDatabase(measured, {
      into: 'nothing',
      signal: interruption.signal,
      onProgress: () => interruption.abort(new Error('enough')),
    });
    await expect(touching).rejects.toThrow('enough');
  });
});
