import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { connectionString, type Target } from '../../runner/postgres/target.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { ownData } from '../../runner/workloads/own-data/definition.ts';
import { ownDataGenerator } from '../../runner/workloads/own-data/generator.ts';
import { ownDataSchema } from '../../runner/workloads/own-data/schema.ts';
import { resolveLevel } from '../../runner/workloads/pgbench/schema.ts';
import type { LoadGenerator } from '../../runner/workloads/load-generator.ts';
import { documentedExample } from '../helpers/samples/documented-example.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

const { signal } = new AbortController();
const { 'schema.sql': schema = '', 'order.sql': order = '', 'look.sql': look = '' } = documentedExample();
const objects = [
  { kind: 'table', names: ['customer', 'purchase'] },
  { kind: 'sequence', names: ['purchase_id_seq'] },
  { kind: 'index', names: ['customer_pkey', 'purchase_by_customer', 'purchase_pkey'] },
  { kind: 'function', names: ['buy(buyer integer, price numeric)'] },
].flatMap(({ kind, names }) => names.map((name) => ({ kind, name: `public.${name}` })));

const cluster = clusterForAll({ fsync: 'off' });
let shop: Target;
beforeAll(async () => {
  shop = { ...cluster.target, database: 'shop' };
  await queryOn(cluster.target, 'CREATE DATABASE shop');
  await queryOn(shop, schema);
  for (const format of ['custom', 'tar', 'plain']) await dump(format, `shop.${format}`);
  writeFileSync(path.join(cluster.folder, 'schema.sql'), schema);
});

async function dump(format: string, name: string): Promise<void> {
  const file = path.join(cluster.folder, name);
  const command = [`${cluster.programs}/pg_dump`, `--format=${format}`, `--file=${file}`];
  await runChecked([...command, connectionString(shop)], {
    environment: { PATH: process.env['PATH'], ...shop.environment },
  });
}

/** Writes a file beside the dumps. */
function write(name: string, content: string | Buffer): void {
  writeFileSync(path.join(cluster.folder, name), content);
}

describe('a load of own data', () => {
  let own: Target;
  beforeAll(async () => {
    own = { ...cluster.target, database: 'own' };
    await queryOn(cluster.target, 'CREATE DATABASE own');
  });

  function generator(load: object, script = order): LoadGenerator {
    write('mix.sql', script);
    const workload = ownDataSchema.parse({
      tool: 'own-data',
      clients: 1,
      durationSeconds: 1,
      load,
      scripts: [{ file: 'mix.sql' }],
      variables: { customers: 1000 },
    });
    const where = { programs: cluster.programs, scriptFolder: cluster.folder, collect: [] };
    return ownDataGenerator({ ...where, workload: resolveLevel(workload) });
  }
  const fill = async (load: object): Promise<LoadGenerator> => {
    const one = generator(load);
    await one.load(own, { folder: cluster.folder, signal, onProgress: (done) => progress.push(done) });
    return one;
  };
  const progress: number[] = [];
  const ask = <T>(statement: string): Promise<T[]> =>
    withConnection(own, async (client) => (await client.query<{ value: T }>(statement)).rows.map(({ value }) => value));
  const missing = (one: LoadGenerator, held?: unknown): Promise<string[]> =>
    withConnection(own, (client) => one.missing(client, held));
  const holds = (one: LoadGenerator): Promise<unknown> => withConnection(own, async (client) => one.holds?.(client));

  it.each([{ sql: ['schema.sql'] }, { dump: 'shop.custom' }, { dump: 'shop.tar' }, { dump: 'shop.plain' }])(
    'from %j replaces what there was, holds everything, and has statistics',
    async (load) => {
      progress.length = 0;
      const one = await fill(load);
      expect(await ask('SELECT count(*)::int AS value FROM purchase')).toEqual([1000]);
      expect(await ask(`SELECT reltuples::int AS value FROM pg_class WHERE relname = 'customer'`)).toEqual([1000]);
      const held = await holds(one);
      expect(held).toMatchObject({ objects: expect.arrayContaining(objects) as unknown });
      expect((held as { objects: unknown[] }).objects).toHaveLength(objects.length);
      expect(await missing(one, held)).toEqual([]);
      expect(progress.at(-1)).toBe(1);
    },
  );

  it('from a dump and SQL files has both, in this order', async () => {
    write('more.sql', 'CREATE TABLE named AS SELECT name FROM customer;\nDELETE FROM purchase WHERE id > 400;\n');
    await fill({ dump: 'shop.custom', sql: ['more.sql'] });
    expect(await ask('SELECT count(*)::int AS value FROM named')).toEqual([1000]);
    expect(await ask('SELECT count(*)::int AS value FROM purchase')).toEqual([400]);
  });

  it('puts names without a schema into public, whatever search_path a variant has', async () => {
    write(
      'made.sql',
      'CREATE SCHEMA indexed;\nCREATE TABLE indexed.made (id int);\nCREATE TABLE made AS SELECT 1 AS id;\n',
    );
    const { environment } = own;
    const other = { ...own, environment: { ...environment, PGOPTIONS: '-c search_path=indexed' } };
    const one = generator({ sql: ['made.sql'], reset: ['reset.sql'] });
    await one.load(other, { folder: cluster.folder, signal, onProgress: () => undefined });
    expect(await ask('SELECT count(*)::int AS value FROM public.made')).toEqual([1]);
    // A reset acts on what the scripts see.
    write('reset.sql', 'INSERT INTO made VALUES (7);\n');
    await queryOn(own, 'ALTER DATABASE own SET search_path = indexed');
    await one.reset?.(own, 'own-reset', { signal });
    expect(await ask('SELECT id AS value FROM indexed.made')).toEqual([7]);
  });

  it('is missed where it went, and where it is not what is expected', async () => {
    const one = await fill({ dump: 'shop.custom', expect: ['SELECT count(*) = 1000 FROM customer'] });
    const held = await holds(one);
    await ask('DROP INDEX purchase_by_customer');
    await ask('DELETE FROM purchase');
    await ask('DELETE FROM customer WHERE id = 5');
    expect(await missing(one, held)).toEqual([
      'index public.purchase_by_customer',
      'what load.expect asks for: SELECT count(*) = 1000 FROM customer (the answer is false)',
    ]);
    for (const what of ['FUNCTION buy', 'TABLE purchase', 'TABLE customer']) await ask(`DROP ${what}`);
    expect(await missing(one)).toEqual(['any table']);
  });

  it('cannot be changed by what is expected, and a wrong expectation is the user’s', async () => {
    const deleting = await fill({ sql: ['schema.sql'], expect: ['DELETE FROM purchase RETURNING true'] });
    await expect(missing(deleting)).rejects.toThrow(/^load\.expect: DELETE .*read-only transaction$/);
    await expect(missing(generator({ sql: ['schema.sql'], expect: ['SELECT'] }))).resolves.toHaveLength(1);
    await expect(missing(generator({ sql: ['schema.sql'], expect: ['SELEC'] }))).rejects.toThrow(UserError);
  });

  it('reads files that its files name', async () => {
    // psql leaves out a byte-order mark.
    write('copy.sql', "\ufeffCREATE TABLE copied (id int);\n\\copy copied FROM 'rows.csv'\n");
    write('rows.csv', '1\n2\n3\n');
    await fill({ sql: ['copy.sql'], files: ['rows.csv'] });
    expect(await ask('SELECT count(*)::int AS value FROM copied')).toEqual([3]);
  });

  it.each([
    [
      'CREATE TABLE a (id int);\n\nCREATE TABEL b (id int);\n',
      /^load\.sql broken\.sql, line 3, on test: ERROR: syntax error at or near "TABEL"\nLINE 1: CREATE TABEL b \(id int\);\n +\^$/,
    ],
    ['SELECT 1 / 0;', /^load\.sql broken\.sql, line 1, on test: ERROR: division by zero$/],
    [
      'CREATE TABLE a (id int);\nVACUUM a;\n',
      /line 2, on test: ERROR: VACUUM cannot run inside a .*\nEach file of a load runs in one/,
    ],
    ['\\copy a FROM lost.csv\n', /^load\.sql broken\.sql, line 1, on test: .*lost\.csv: No such file or directory$/],
    [
      "DO $$ BEGIN RAISE WARNING 'careful'; END $$;\nSELEC 1;\n",
      /^load\.sql broken\.sql, line 2, on test: ERROR: syntax/,
    ],
    [
      'SET no_such_timeout = 0;\n',
      /unrecognized configuration parameter "no_such_timeout"\nThis server has no parameter no_such_timeout\. Remove it from the file\./,
    ],
    [
      'GRANT SELECT ON pg_class TO nobody_here;\n',
      /role "nobody_here" does not exist\nA missing role exists only on the server/,
    ],
  ])('of %j ends with file, line and what the server says', async (sql, message) => {
    write('broken.sql', sql);
    const failed = fill({ sql: ['schema.sql', 'broken.sql'] });
    await expect(failed).rejects.toThrow(UserError);
    await expect(failed).rejects.toThrow(message);
  });

  it.each([
    ['custom', 0.9, true],
    ['custom', 0.02, false],
    ['tar', 0.5, true],
    ['plain', 0.5, false],
  ])(
    'from a %s dump of which only a part of %d is there ends with its name, before servers are made: %s',
    async (...of) => {
      const [format, part, isSeenBefore] = of;
      const whole = readFileSync(path.join(cluster.folder, `shop.${format}`));
      write('cut.dump', whole.subarray(0, Math.floor(part * whole.length)));
      const failed = fill({ dump: 'cut.dump' });
      await expect(failed).rejects.toThrow(UserError);
      await expect(failed).rejects.toThrow(/^load\.dump cut\.dump/);
      if (!isSeenBefore) return;
      const validated = (dump: string): Promise<void> | undefined => {
        const load = {
          tool: 'own-data',
          clients: 1,
          durationSeconds: 1,
          load: { dump },
          scripts: [{ file: 'mix.sql' }],
        };
        const where = { workload: ownDataSchema.parse(load), scriptFolder: cluster.folder, signal };
        return ownData.validateScripts(cluster.programs, where);
      };
      await validated(`shop.${format}`);
      await expect(validated('cut.dump')).rejects.toThrow(/^load\.dump cut\.dump (cannot be read|is truncated)/);
    },
  );

  it('from an archive of a newer pg_dump than can be read here says which programs to name', async () => {
    const archive = readFileSync(path.join(cluster.folder, 'shop.custom'));
    // After PGDMP stand the major and the minor number of its format.
    archive[6] = 99;
    write('newer.dump', archive);
    await expect(fill({ dump: 'newer.dump' })).rejects.toThrow(
      /^load\.dump newer\.dump has the format 1\.99 of a newer PostgreSQL\. .*pg_dump --format=plain\.$/,
    );
  });

  it('in a database or with a user that a restored server does not have is the user’s to put right', async () => {
    const at = (target: Target): Promise<unknown> => withConnection(target, () => Promise.resolve());
    await expect(at({ ...own, database: 'shoop' })).rejects.toThrow(UserError);
    await expect(at({ ...own, database: 'shoop' })).rejects.toThrow('Server test has no database shoop.');
    await expect(at({ ...own, user: 'nobody_here' })).rejects.toThrow(
      /^Server test rejects user nobody_here \(.*authentication failed.*\)\.$/,
    );
  });

  it('tries out a script by two transactions in one session', async () => {
    await fill({ sql: ['schema.sql'] });
    const request = { folder: cluster.folder, signal };
    await generator({ sql: ['schema.sql'] }).tryScripts?.(own, request);
    expect(await ask('SELECT count(*)::int AS value FROM purchase')).toEqual([1002]);
    await expect(
      generator({ sql: ['schema.sql'] }, 'SELECT * FROM customr;\n').tryScripts?.(own, request),
    ).rejects.toThrow(/^The script mix\.sql does not run on test: line 1: .*relation "customr" does not exist/);
    await expect(generator({ sql: ['schema.sql'] }, '\\sett a 1\n').tryScripts?.(own, request)).rejects.toThrow(
      /^The script mix\.sql does not run on test: .*mix\.sql:1: invalid command/,
    );
    await expect(
      generator({ sql: ['schema.sql'] }, 'CREATE TEMP TABLE mine (a int);\n').tryScripts?.(own, request),
    ).rejects.toThrow(
      /^The script mix\.sql does not run a second time in the same session on test: .*relation "mine" already exists/,
    );
    const conflict = "DO $$BEGIN RAISE 'conflict' USING ERRCODE = '40001'; END$$;\n";
    await expect(generator({ sql: ['schema.sql'] }, conflict).tryScripts?.(own, request)).rejects.toThrow(
      // Up to version 14, pgbench gives a client up at once.
      /^The script mix\.sql does not run on test: (none of its transactions succeeded|line 1: .*conflict)/,
    );
  });

  it('names the line of the command that fails, as pgbench counts commands', async () => {
    await fill({ sql: ['schema.sql'] });
    const request = { folder: cluster.folder, signal };
    const tried = (script: string): Promise<unknown> =>
      generator({ sql: ['schema.sql'] }, script).tryScripts?.(own, request) ?? Promise.resolve();
    const lines = [
      '-- a comment; here',
      '\\set id 1',
      'SELECT 1;;',
      "SELECT 'a;b' AS a, (1) AS b \\gset",
      '\\if :id > 0',
      'SELECT 1 \\; SELECT 2;',
      '\\endif',
      'SELECT 3',
    ];
    for (let at = 0; at < lines.length; at++) {
      const script = [...lines.slice(0, at), 'SELECT 1 / 0;', ...lines.slice(at), ''].join('\n');
      await expect(tried(script)).rejects.toThrow(
        new RegExp(String.raw`^The script mix\.sql does not run on test: line ${at + 1}: ERROR: +division by zero`),
      );
    }
    await expect(tried('\\set a 1\n\nSELECT 1 WHERE false \\gset\n')).rejects.toThrow(
      /: line 3: expected one row, got 0/,
    );
    await expect(tried('\n\\set a 1 / 0\n')).rejects.toThrow(
      /division by zero\nline 2: evaluation of meta-command failed/,
    );
  });
});

describe('load-run --local with own data', () => {
  let tiny: TinyRun;
  beforeEach(() => {
    tiny = tinyRun();
    tiny.put('order.sql', order);
    tiny.put('look.sql', look);
    tiny.put('schema.sql', schema);
  });

  function define(
    load: object,
    { workload = {}, ...changes }: { workload?: object; [part: string]: unknown } = {},
  ): void {
    tiny.define({
      name: 'tiny',
      question: 'Does it run on own data?',
      common: { storage: { type: 'local', sizeGib: 1 } },
      variants: { one: {}, two: { engine: { parameters: { synchronous_commit: 'off' } } } },
      baseline: 'one',
      workload: {
        tool: 'own-data',
        load,
        clients: 2,
        durationSeconds: 1,
        rate: 40,
        scripts: [{ file: 'order.sql', weight: 3 }, { file: 'look.sql' }],
        variables: { customers: 1000 },
        ...workload,
      },
      profiles: { local: {} },
      ...changes,
    });
  }
  const protocol = (changes: object) => ({ protocol: { blocks: 1, warmUpSeconds: 0, repeats: 0, ...changes } });
  const allFinished = ['finished', 'finished', 'finished', 'finished'];

  it('restores a dump before each trial, and runs both scripts by their weights', async () => {
    tiny.put('shop.dump', readFileSync(path.join(cluster.folder, 'shop.custom')));
    // Fails the trial unless everything is as it was loaded.
    tiny.put(
      'prove.sql',
      `DO $$ BEGIN IF (SELECT count(*) FROM purchase) <> 1000 THEN RAISE EXCEPTION 'not restored'; END IF; END $$;\n`,
    );
    const load = { dump: 'shop.dump', reset: ['prove.sql'], expect: ['SELECT count(*) = 1000 FROM customer'] };
    define(load, protocol({ blocks: 2, reset: ['restore', 'own-reset', 'checkpoint'] }));
    const { text, tool, trials } = await tiny.measured();
    expect(text).not.toContain('not restored');
    expect(tool?.files).toHaveProperty(['shop.dump'], expect.stringMatching(/^[0-9a-f]{64}$/));
    expect(trials.map(({ state }) => state)).toEqual(allFinished);
    for (const { facts, measures } of trials) {
      expect(facts.identity).toMatchObject({ scripts: 'look.sql (weight 1) + order.sql (weight 3)', scale: null });
      expect(measures['transactions']).toBeGreaterThan(0);
      expect(measures['wal.bytes']).toBeGreaterThan(0);
      expect(measures['history.size'] ?? null).toBeNull();
    }
  });

  it('prepares one variant, whose contents differ then, and keeps that through each restore', async () => {
    tiny.put('more.sql', 'CREATE TABLE note AS SELECT id FROM customer;\n');
    tiny.put(
      'prove.sql',
      "SELECT count(*) FROM pg_class WHERE relname = 'note_by_id' \\gset\nSELECT id FROM note WHERE id = 7;\n",
    );
    define(
      { sql: ['schema.sql', 'more.sql'] },
      {
        variants: { 'as-loaded': {}, index: { prepare: ['CREATE INDEX CONCURRENTLY note_by_id ON note (id)'] } },
        baseline: 'as-loaded',
        workload: { scripts: [{ file: 'prove.sql' }], variables: {} },
        ...protocol({ blocks: 2, reset: ['restore'] }),
      },
    );
    const { text, steps, trials } = await tiny.measured();
    expect(text).toContain('CREATE INDEX CONCURRENTLY');
    const loads = steps.flatMap((step) => step.loads ?? []);
    expect(loads.map(({ server, prepared }) => [server, prepared?.length])).toEqual([
      ['as-loaded', undefined],
      ['index', 1],
    ]);
    expect(trials.map(({ state }) => state)).toEqual(allFinished);
    const tps = trials.flatMap(({ conditions, measures }) =>
      conditions.variant === 'index' ? [measures['tps'] ?? 0] : [],
    );
    expect(Math.min(...tps)).toBeGreaterThan(0);
  });

  it('resets by files of the user where there are some', async () => {
    tiny.put('reset.sql', 'DELETE FROM purchase WHERE id > 500;\nVACUUM purchase;\n');
    tiny.put('later.sql', `SELECT 1 / (count(*) = 500)::int FROM purchase;\n`);
    define({ sql: ['schema.sql'], reset: ['reset.sql', 'later.sql'] }, protocol({}));
    const { experiment, trials } = await tiny.measured();
    expect(experiment.definition.protocol.reset).toEqual(['own-reset', 'checkpoint']);
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
  });

  it('shows settings as data has brought them, and says so', async () => {
    const brought = `DO $$BEGIN EXECUTE format('ALTER ROLE %I SET wal_compression = on', current_user); END$$;`;
    tiny.put('schema.sql', `${schema}\n${brought}\n`);
    define({ sql: ['schema.sql'] }, protocol({ reset: ['checkpoint'] }));
    const { variants, warnings } = await tiny.measured();
    for (const { settings } of variants) expect(settings['wal_compression']).not.toBe('off');
    expect(warnings.map(({ message }) => message).join('\n')).toMatch(
      /Loading changed wal_compression from off to \w+ on one, two: the data contains/,
    );
    const { exitCode, stdout } = await tiny.run('verify', 'results/tiny/latest').ended;
    expect(stdout).toContain('Verification passed');
    expect(exitCode).toBe(0);
  });

  /** A statement that is carried out on one of the two servers. */
  const onlyOnTwo = (statement: string): string =>
    `DO $$BEGIN IF current_setting('synchronous_commit') = 'off' THEN ${statement}; END IF; END$$;\n`;

  it.each([
    [
      'sets on one server what the run would not tell',
      "EXECUTE format('ALTER DATABASE %I SET work_mem = %L', current_database(), '1MB')",
      /two failed in warm-up: two: work_mem was \S+ \(kB\) after loading, and is 1024 \(kB\) now/,
    ],
    [
      'leaves the data defined otherwise on one server',
      'ALTER TABLE purchase ALTER COLUMN id SET STATISTICS 7',
      /(one|two) failed in warm-up: (one and two|two and one) were reset in the same way, but their contents differ: /,
    ],
  ])('does not count trials before which a reset of the user %s', async (_, statement, words) => {
    tiny.put('reset.sql', onlyOnTwo(statement));
    define({ sql: ['schema.sql'], reset: ['reset.sql'] }, protocol({}));
    expect((await tiny.loadRun().ended).exitCode).toBe(1);
    const { trials, warnings } = tiny.result();
    expect(trials.map(({ state }) => state).sort()).toEqual(['failed', 'finished']);
    expect(warnings.map(({ message }) => message).join(' ')).toMatch(words);
  });

  it.each([
    [
      'loading has set on one server what it has not set on the other',
      () =>
        tiny.put(
          'schema.sql',
          `${schema}\n${onlyOnTwo("EXECUTE format('ALTER ROLE %I SET work_mem = %L', current_user, '1MB')")}`,
        ),
      {},
      /their contents differ: settings of role \S+: only on two, not on one/,
    ],
    [
      'the SQL of a variant is wrong',
      () => undefined,
      { variants: { one: {}, two: { prepare: 'CREATE INDEX ON purchas (customer)' } } },
      /prepare of two: relation "purchas" does not exist CREATE INDEX ON purchas \(customer\)/,
    ],
    [
      'a script is wrong, before the first trial',
      () => tiny.put('look.sql', 'SELECT * FROM purchas;\n'),
      {},
      /The script look\.sql does not run on one: .*relation "purchas" does not exist/,
    ],
  ])('ends with exit code 2 where %s, and leaves nothing', async (_, put, changes, words) => {
    put();
    define({ sql: ['schema.sql'] }, { ...protocol({ reset: ['checkpoint'] }), ...changes });
    const refusal = await tiny.refused();
    expect(refusal).toMatch(words);
    expect(refusal).not.toContain('trial 1 of');
  });
});
