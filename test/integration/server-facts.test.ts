import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../runner/postgres/client.ts';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CollectedTrial, Collector } from '../../runner/collect/collector.ts';
import { loggedCheckpoints } from '../../runner/collect/postgres/log/logged-checkpoints.ts';
import { replication } from '../../runner/collect/postgres/replication.ts';
import { serverIo } from '../../runner/collect/postgres/server-io.ts';
import { statements } from '../../runner/collect/postgres/statements.ts';
import { followLog } from '../../runner/places/local/local-variant.ts';
import { walRate } from '../../runner/collect/postgres/wal-rate.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { mergeFindings } from '../../runner/storage/stored-run.ts';
import { measuredSince } from '../helpers/samples/measured-part.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const cluster = clusterForAll({ autovacuum: false, track_io_timing: true });
beforeAll(async () => {
  await query('CREATE TABLE t AS SELECT generate_series(1, 1000) AS i');
});

const query = (text: string) => queryOn(cluster.target, text);
const trialOf = (change: Partial<CollectedTrial> = {}) =>
  ({
    id: 'one',
    conditions: { variant: 'test' },
    target: cluster.target,
    serverMajor: cluster.major,
    now: () => new Date(),
    signal: new AbortController().signal,
    database: (use: (client: Client) => Promise<unknown>) => withConnection(cluster.target, use),
    serverLog: () => followLog(cluster.serverLog),
    ...change,
  }) as unknown as CollectedTrial;

/** What the collector finds while the load is on. */
async function found(collector: Collector, load: () => Promise<unknown>, trial = trialOf()) {
  const collection = await collector.start?.(trial);
  const began = new Date();
  await load();
  const part = measuredSince(began);
  const stopped = (await collection?.stop?.(part)) ?? {};
  return mergeFindings([stopped, (await collection?.finish?.(part, {})) ?? {}]);
}

describe('what a real server says', () => {
  it('of statements are those of the load that took the most time, without their constants', async () => {
    const { facts } = await found(statements, async () => {
      // Long enough to be seen with its constants, also where a look is late.
      await query("SELECT pg_sleep(3), 'a secret'");
      await query('UPDATE t SET i = i + 1');
      await query("COMMENT ON TABLE t IS 'a secret'");
      await query('CHECKPOINT');
    });
    expect(facts.absent).toBeUndefined();
    expect(facts.statements?.map(({ text, calls, rows }) => [text, calls, rows])).toEqual([
      ['SELECT pg_sleep($1), $2', 1, 1],
      ['UPDATE t SET i = i + $1', 1, 1000],
    ]);
    const plans = (which: 'plans' | 'genericPlans') => facts.statements?.map(({ queryId }) => facts[which]?.[queryId]);
    const [executed = [], generic = []] = [plans('plans'), plans('genericPlans')];
    expect([executed[0], generic[0]]).toEqual(['Result', undefined]);
    // A look at the running statements seldom meets one as short as this with its constants.
    expect([executed[1], generic[1]].filter((plan) => plan !== undefined)).toEqual([
      'Update on t\n  ->  Seq Scan on t',
    ]);
    // Planned only: 1000 rows, each raised once.
    expect((await query('SELECT sum(i)::int AS sum FROM t')).rows).toEqual([{ sum: 501_500 }]);
    expect(facts.statements?.[0]?.totalTime).toBeGreaterThan(3);
    expect(facts.statements?.[1]?.walBytes).toBeGreaterThan(1000);
  });

  // Found by attack: the generic plan of a look-up by a rare value is a scan of all rows, which nobody carried out.
  it('of a plan is that with the constants that were sent', async () => {
    await query('CREATE TABLE rare AS SELECT (i > 99990)::int AS one FROM generate_series(1, 100000) AS i');
    await query('CREATE INDEX ON rare (one)');
    await query('ANALYZE rare');
    const { facts } = await found(statements, () => query('SELECT pg_sleep(3) FROM rare WHERE one = 1 LIMIT 1;'));
    const [id = ''] = facts.statements?.map(({ queryId }) => queryId) ?? [];
    expect(facts.plans?.[id]).toContain('Index Cond: (one = …)');
    expect(facts.genericPlans).toBeUndefined();
  });

  it('of plans are only those of statements that its own role has carried out', async () => {
    await query('CREATE ROLE other');
    await query('GRANT SELECT ON t TO other');
    const { facts } = await found(statements, () =>
      withConnection(cluster.target, async (client) => {
        await client.query('SET ROLE other');
        await client.query('SELECT sum(i) FROM t WHERE i > 17');
      }),
    );
    expect(facts.statements?.map(({ text }) => text)).toContain('SELECT sum(i) FROM t WHERE i > $1');
    expect(facts.plans ?? facts.genericPlans).toBeUndefined();
  });

  it('of statements is nothing where the extension is in neither database', async () => {
    const elsewhere = { ...cluster.target, database: 'postgres' };
    await queryOn(elsewhere, 'DROP EXTENSION pg_stat_statements');
    const without = await found(statements, () => Promise.resolve());
    expect(without.facts.absent?.['statements']).toContain('neither in the database postgres nor in pgduet');
    await query('CREATE EXTENSION pg_stat_statements');
    const within = await found(statements, () => query('SELECT count(*) FROM t'));
    expect(within.facts.statements?.map(({ text }) => text)).toEqual(['SELECT count(*) FROM t']);
    await query('DROP EXTENSION pg_stat_statements');
    await queryOn(elsewhere, 'CREATE EXTENSION pg_stat_statements');
  });

  it('of WAL per second is what its counter says', async () => {
    const ask = async (expression: string) =>
      Number((await query(`SELECT ${expression} AS number`)).rows[0]?.['number']);
    const lookedAt = () =>
      ask(
        "(SELECT 1000 * extract(epoch FROM query_start) FROM pg_stat_activity WHERE application_name = 'pgduet sampler')",
      );
    const nextLook = async (last: number): Promise<number> => {
      await expect.poll(lookedAt).toBeGreaterThan(last);
      return lookedAt();
    };
    const written = () => ask("pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
    let [bytes, first, second] = [0, 0, 0];
    const began = Date.now();
    const { measures } = await found(walRate, async () => {
      first = await nextLook(await lookedAt());
      bytes = -(await written());
      for (let times = 0; times < 10; times += 1) await query('UPDATE t SET i = i + 1');
      bytes += await written();
      second = await nextLook(await lookedAt());
    });
    // There may have been looks before the first that is known here, and after the last.
    expect(measures['wal.rate']).toBeGreaterThan((0.9 * 1000 * bytes) / (Date.now() - began));
    expect(measures['wal.rate']).toBeLessThan((1.1 * 1000 * bytes) / (second - first));
  });

  it('of checkpoints is in its log, with their reason and what they wrote', async () => {
    await query('CHECKPOINT');
    await sleep(20);
    const { facts } = await found(loggedCheckpoints, async () => {
      await query('UPDATE t SET i = i + 1');
      await query('CHECKPOINT');
    });
    expect(facts.checkpoints).toMatchObject([{ reason: 'immediate force wait', restartpoint: false }]);
    expect(facts.checkpoints?.[0]?.buffers).toBeGreaterThan(0);
    expect(facts.checkpoints?.[0]?.endedAt).toBeGreaterThan(facts.checkpoints?.[0]?.startedAt ?? NaN);
  });

  it('of its I/O is in a view from version 16 on, and otherwise said to be absent', async () => {
    const { measures, facts } = await found(serverIo, () => query('CREATE TABLE u AS SELECT * FROM t'));
    if (cluster.major < 16) expect(facts.absent?.['server-io']).toContain(`this server is ${cluster.major}`);
    else expect(measures['io.backends']).toBeGreaterThan(0);
  });

  it('of standbys is that there is none, or how far each of them is', async () => {
    const none = await found(replication, () => Promise.resolve());
    expect(none.facts.absent).toEqual({ replication: 'no standby is connected' });
    await startReceiver();
    const { measures, facts, warnings } = {
      warnings: [],
      ...(await found(replication, async () => {
        await query('UPDATE t SET i = i + 1');
        await sleep(1200);
      })),
    };
    expect({ standbys: facts.standbys, warnings }).toEqual({
      standbys: [{ name: 'pg_receivewal', state: 'streaming', syncState: 'async' }],
      warnings: [],
    });
    expect(measures['replication.pg_receivewal.flushLagBytes']).toBeGreaterThanOrEqual(0);
    expect(measures['replication.pg_receivewal.flushLag']).toBeGreaterThanOrEqual(0);
  });

  it('of standbys is not asked any more when the trial has failed', async () => {
    await startReceiver();
    const collection = await replication.start?.(trialOf());
    await collection?.abandon?.();
    const left = "SELECT FROM pg_stat_activity WHERE application_name = 'pgduet sampler'";
    await vi.waitFor(async () => expect((await query(left)).rows).toEqual([]), { timeout: 60_000 });
  });
});

/** Lets somebody receive WAL until the end of the test, as a standby does. */
async function startReceiver(): Promise<void> {
  const settings = path.join(path.dirname(cluster.serverLog), 'test.settings');
  appendFileSync(path.join(settings, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
  await query('SELECT pg_reload_conf()');
  const folder = path.join(cluster.folder, `wal-${Date.now()}`);
  mkdirSync(folder);
  const { host, port, user, environment } = cluster.target;
  const receiver = spawn(
    path.join(cluster.programs, 'pg_receivewal'),
    ['--directory', folder, '--synchronous', '--host', host, '--port', String(port), '--username', user],
    { env: { ...process.env, ...environment }, stdio: 'ignore' },
  );
  onTestFinished(async () => {
    const ended = once(receiver, 'exit');
    receiver.kill('SIGKILL');
    await ended;
  });
  const streaming = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";
  await vi.waitFor(async () => expect((await query(streaming)).rows).toHaveLength(1), { timeout: 60_000 });
}
