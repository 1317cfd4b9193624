import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import type { Client } from '../../runner/postgres/client.ts';
import type { ServiceTarget } from '../../runner/postgres/target.ts';
import { disconnect } from '../../runner/postgres/unanswered.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { Services } from '../helpers/servers/services.ts';
import { repeats } from '../helpers/repeats.ts';

const cluster = clusterForAll();
const services = new Services();
let target: ServiceTarget;
beforeAll(async () => {
  await services.addRole('one', cluster);
  target = {
    ...cluster.target,
    user: 'one',
    database: 'postgres',
    environment: services.environment,
    service: { name: 'one', programs: cluster.programs, home: 'postgres', mark: '', limit: 0 },
  };
});

const values = `SELECT 1::int8 AS bigint, 2 AS integer, 1.5::float8 AS real, 1.50::numeric AS numeric, true AS yes,
  NULL::text AS nothing, ''::text AS empty, '{"a": [1]}'::jsonb AS json, '2026-11-29 10:00:00+00'::timestamptz AS instant,
  ARRAY['a', NULL, 'b "c'] AS texts, ARRAY[1, 2]::oid[] AS oids, '\\x00ff'::bytea AS bytes, 'name'::name AS name`;

it('a session by a service reads values as one by an address does', async () => {
  const read = (client: Client) => client.query<Record<string, unknown>>(values);
  const byAddress = await withConnection(cluster.target, read);
  const byService = await withConnection(target, read);
  expect(byService.rows).toEqual(byAddress.rows);
  const inOrder = await withConnection(target, (client) => client.query<unknown[]>({ text: values, rowMode: 'array' }));
  expect(inOrder.rows).toEqual([Object.values(byAddress.rows[0] ?? {})]);
});

it('any text, and any list of texts, arrives as it was', async () => {
  // PostgreSQL's text holds no zero byte.
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((one) => one.replaceAll('\0', ''));
  const odd = fc.constantFrom("it's", '\\', ':HOST', '$1', '$q$', ';', '\\g', '--', '/*', '"', '\n\\! ls', '');
  const any = fc.array(fc.oneof(text, odd), { maxLength: 5 }).map((parts) => parts.join(''));
  await withConnection(target, (client) =>
    fc.assert(
      fc.asyncProperty(any, fc.array(fc.option(any), { maxLength: 4 }), async (one, many) => {
        const { rows } = await client.query('SELECT $1::text AS one, $2::text[] AS many', [one, many]);
        expect(rows).toEqual([{ one, many }]);
      }),
      { numRuns: repeats(100) },
    ),
  );
});

it('several statements are one transaction, whatever psql would make of them', async () => {
  await withConnection(target, async (client) => {
    await client.query("CREATE TEMP TABLE t (a text); INSERT INTO t VALUES (':HOST \\ ;') -- it's\n; SELECT * FROM t");
    expect((await client.query('SELECT a FROM t')).rows).toEqual([{ a: ':HOST \\ ;' }]);
    await expect(client.query("DELETE FROM t; SELECT 1/0; SELECT '\\'")).rejects.toMatchObject({ code: '22012' });
    expect((await client.query("UPDATE t SET a = 'b'")).rowCount).toBe(1);
    expect((await client.query('SHOW datestyle')).rows).toEqual([{ DateStyle: 'ISO, MDY' }]);
  });
});

it('a statement that is prepared keeps its parameters', async () => {
  const types = "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'one'";
  await withConnection(target, async (client) => {
    await client.query(
      "PREPARE one AS SELECT relname FROM pg_class WHERE relpages > $1 AND relname <> ':HOST \\' LIMIT $2",
    );
    expect((await client.query(types)).rows).toEqual([{ types: ['integer', 'bigint'] }]);
  });
});

it('an error has the SQLSTATE and the words of the server, and the session goes on', async () => {
  await withConnection(target, async (client) => {
    await expect(client.query('SELECT nope')).rejects.toMatchObject({
      code: '42703',
      message: 'column "nope" does not exist',
    });
    await client.query('BEGIN');
    await expect(client.query('INSERT INTO pg_class DEFAULT VALUES')).rejects.toMatchObject({ code: '42501' });
    await client.query('ROLLBACK');
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

it('the end of a session ends its query, a lost session is trouble that may pass, and an unknown service is not', async () => {
  const session = await connect(target, { long: true });
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const sleeping = session.query('SELECT pg_sleep(60)').catch((error: unknown) => error);
  await disconnect(session);
  expect(await sleeping).toBeInstanceOf(Error);
  const left = await withConnection(cluster.target, (client) =>
    client.query('SELECT FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid]),
  );
  expect(left.rowCount).toBe(0);
  await withConnection(target, (client) =>
    expect(client.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({ name: 'PartError' }),
  );
  const unknown = { ...target, service: { ...target.service, name: 'nobody' } };
  await expect(connect(unknown)).rejects.toMatchObject({ name: 'UserError', isTransient: false });
});
