import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Client } from '../../runner/postgres/client.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../runner/postgres/connect.ts';
import { type AskedOfServer, notInForce, proveInForce, readInForce } from '../../runner/postgres/in-force.ts';
import { type LocalCluster, startLocalCluster } from '../helpers/servers/local-cluster.ts';
import { repeats } from '../helpers/repeats.ts';

let cluster: LocalCluster;
let client: Client;
beforeAll(async () => {
  cluster = await startLocalCluster({
    shared_buffers: '16MB',
    wal_compression: 'on',
    wal_buffers: -1,
    'made.up': 3,
    wal_segment_size: '1MB',
  });
  client = await connect(cluster.target);
});
afterAll(async () => {
  await client.end();
  await cluster.remove();
});

/** A session that has this value from its start, as from a file. */
async function startedWith(name: string, value: string): Promise<Client> {
  const { host, port, user, database, environment } = cluster.target;
  const password =
    readFileSync(environment['PGPASSFILE'] ?? '', 'utf8')
      .trim()
      .split(':')
      .at(-1) ?? '';
  const options = `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`;
  const session = new pg.Client({ host, port, user, database, password, options });
  await session.connect();
  return session;
}

const prove = (parameters: AskedOfServer['parameters'], version: string | null = null) =>
  proveInForce({ ...cluster.target, asked: { parameters, version } });

describe('what was asked of a real server', () => {
  it('is in force, in whatever unit and spelling', async () => {
    const { parameters } = await prove({
      shared_buffers: 2048,
      wal_compression: true,
      wal_buffers: -1,
      'made.up': '3',
      wal_segment_size: '1MB',
      checkpoint_timeout: '5min',
      checkpoint_completion_target: '0.90',
      fsync: 'TRUE',
    });
    expect(parameters.map(({ name, inForce }) => [name, inForce])).toEqual(
      ['checkpoint_completion_target', 'checkpoint_timeout', 'fsync', 'made.up']
        .concat(['shared_buffers', 'wal_buffers', 'wal_compression', 'wal_segment_size'])
        .map((name) => [name, true]),
    );
  });

  it('is refused by name, with the value asked for and the one found', async () => {
    await expect(prove({ shared_buffers: '32MB', fsync: 'off', wal_kompression: 'on' })).rejects.toThrow(
      [
        'test: parameter fsync is on, but should be off.',
        'test: parameter shared_buffers is 2048 (8kB), but should be 32MB.',
        'test: parameter wal_kompression should be on, but the server has no such parameter.',
      ].join('\n'),
    );
  });

  it('is refused where the server has another version', async () => {
    await expect(prove({}, '9.6')).rejects.toThrow(
      /^test: the server reports PostgreSQL 1\d\.\d+, but it should be 9\.6\.$/,
    );
    const { version, major } = await prove({});
    expect((await prove({}, `${version}-rds.20240418`)).major).toBe(major);
  });

  it('cannot be proved of an extension that is not there, which is no failure', async () => {
    const found = await prove({ 'pg_hint_plan.enable_hint': 1 });
    expect(found.parameters).toEqual([
      { name: 'pg_hint_plan.enable_hint', asked: '1', found: null, inForce: null, pendingRestart: false },
    ]);
  });

  it('waits for a restart where somebody has changed it, and this is said', async () => {
    await client.query("ALTER SYSTEM SET shared_buffers = '32MB'");
    await client.query('SELECT pg_reload_conf()');
    await expect
      .poll(() => prove({ shared_buffers: '32MB' }).catch((error: unknown) => (error as Error).message))
      .toContain('shared_buffers is 2048 (8kB), but should be 32MB; a restart is pending');
  });
});

describe('any value that the server takes', () => {
  const number = fc.integer({ min: 64, max: 30_000 });
  const asked = fc.oneof(
    fc.tuple(
      fc.constant('work_mem'),
      fc.tuple(number, fc.constantFrom('', 'kB', 'MB')).map((parts) => parts.join('')),
    ),
    fc.tuple(
      fc.constant('temp_buffers'),
      number.map((kb) => `${kb + 800}kB`),
    ),
    fc.tuple(
      fc.constant('lock_timeout'),
      fc.tuple(number, fc.constantFrom('', 'ms', 's', 'min')).map((parts) => parts.join(' ')),
    ),
    fc.tuple(fc.constant('random_page_cost'), fc.double({ min: 0.001, max: 1e6, noNaN: true }).map(String)),
    fc.tuple(
      fc.constant('vacuum_cost_delay'),
      fc.integer({ min: 0, max: 100_000 }).map((us) => `${us}us`),
    ),
    fc.tuple(fc.constantFrom('enable_sort', 'jit'), fc.constantFrom('on', 'OFF', 'true', 'No', '1', '0')),
    fc.tuple(
      fc.constant('synchronous_commit'),
      fc.constantFrom('on', 'off', 'local', 'remote_write', 'REMOTE_APPLY', 'true', 'no', '0', '1'),
    ),
    fc.tuple(fc.constant('wal_compression'), fc.constantFrom('on', 'off', 'pglz', 'true', '0')),
    fc.tuple(fc.constant('client_min_messages'), fc.constantFrom('debug', 'DEBUG1', 'notice', 'error')),
    fc.tuple(fc.constant('search_path'), fc.constantFrom('a', 'a,b', 'a, "B" ,c', 'public')),
  );

  it('is found in force, as the server itself understands it', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ([name, value]) => {
        const session = await startedWith(name, value);
        try {
          const found = await readInForce(session, { [name]: value });
          expect(notInForce(found, { parameters: {}, version: null })).toEqual([]);
        } finally {
          await session.end();
        }
      }),
      { numRuns: repeats(300, 0.2) },
    );
  });
});
