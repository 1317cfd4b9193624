import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { digestLogs } from '../../runner/workloads/pgbench/log/digest-log.ts';
import type { LatenciesAtTime, LatencySummary, ScriptDigest, SecondOfRun } from '../../runner/contract/tool-output.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const cluster = clusterForAll();

beforeAll(async () => {
  await pgbench('--initialize', '--quiet', '--scale=1');
});

it.each([
  { run: 'one thread', args: ['--client=2', '--transactions=600'], columns: [] },
  { run: 'several threads', args: ['--client=4', '--jobs=4', '--transactions=300'], columns: [] },
  { run: 'a rate', args: ['--client=4', '--jobs=2', '--rate=300', '--time=3'], columns: ['lag'] },
  {
    run: 'a rate too high for its latency limit',
    args: ['--client=1', '--rate=20000', '--latency-limit=3', '--time=2'],
    columns: ['lag'],
    latencyLimitMicros: 3000,
  },
  {
    run: 'two scripts',
    args: ['--client=2', '--transactions=600', '--builtin=tpcb-like@1', '--builtin=select-only@3'],
    columns: [],
  },
])('what a log says is what PostgreSQL makes of its rows: $run', async ({ run, args, columns, latencyLimitMicros }) => {
  const folder = path.join(cluster.folder, run.replaceAll(' ', '-'));
  mkdirSync(folder);
  await pgbench('--no-vacuum', '--log', `--log-prefix=${path.join(folder, 'pgbench_log')}`, ...args);
  const logs = readdirSync(folder).map((name) => path.join(folder, name));

  const digest = await digestLogs(logs, { hasLag: columns.includes('lag'), latencyLimitMicros });
  const rows = await summariseInPostgres(logs, { columns, latencyLimitMicros });
  expect(digest.transactions).toBeGreaterThan(100);
  // No transaction failed: TPC-B runs at the lowest isolation level, in which PostgreSQL refuses none.
  expect(digest).toEqual({ failedTransactions: 0, failedTurnSeconds: null, exact: true, problems: [], ...rows });
});

interface Summarised {
  transactions: number;
  skippedTransactions: number;
  latencySeconds: LatencySummary;
  lagSeconds?: LatencySummary;
  scripts: ScriptDigest[];
  perSecond: SecondOfRun[];
  latencies: LatenciesAtTime[];
}

async function summariseInPostgres(
  logs: readonly string[],
  {
    columns,
    latencyLimitMicros = null,
  }: { columns: readonly string[]; latencyLimitMicros?: number | null | undefined },
): Promise<Summarised> {
  return withConnection(cluster.target, async (client) => {
    const types = ['client int', 'number int', 'time text', 'script int', 'second bigint', 'us int'];
    await client.query(`CREATE TEMP TABLE log (${[...types, ...columns.map((name) => `${name} bigint`)].join(', ')})`);
    for (const log of logs) await client.query(`COPY log FROM '${log}' WITH (DELIMITER ' ')`);
    await client.query(`CREATE TEMP VIEW done AS SELECT *, time::bigint AS latency FROM log WHERE time <> 'skipped'`);
    const all = await client.query<{ summary: Summarised }>(`
      SELECT json_build_object(
        'transactions', (SELECT count(*) FROM done),
        'skippedTransactions', (SELECT count(*) FROM log WHERE time = 'skipped'),
        ${['latency', ...columns].map((column) => `'${column}Seconds', (SELECT ${summary(column)} FROM done),`).join(' ')}
        'scripts', (${perScript(latencyLimitMicros)}),
        'perSecond', (${perSecond}), 'latencies', (${latencies})) AS summary`);
    const [row] = all.rows;
    if (!row) throw new Error('PostgreSQL gave no row');
    return row.summary;
  });
}

function summary(column: string): string {
  const percentile = (share: number): string =>
    `percentile_disc(${share}) WITHIN GROUP (ORDER BY ${column})::float8 / 1e6::float8`;
  return `json_build_object(
    'mean', sum(${column})::float8 / count(*) / 1e6::float8, 'max', max(${column})::float8 / 1e6::float8,
    'p50', ${percentile(0.5)}, 'p90', ${percentile(0.9)}, 'p95', ${percentile(0.95)},
    'p99', ${percentile(0.99)}, 'p999', ${percentile(0.999)})`;
}

/** @param limit in microseconds; without one, no transaction is late */
function perScript(limit: number | null): string {
  return `SELECT json_agg(json_build_object('script', script, 'transactions', transactions, 'failedTransactions', 0,
      'skippedTransactions', (SELECT count(*) FROM log WHERE time = 'skipped' AND log.script = found.script),
      'lateTransactions', late, 'latencySeconds', latencies) ORDER BY script)
    FROM (SELECT script, count(*) AS transactions, ${summary('latency')} AS latencies,
            count(*) FILTER (WHERE latency > ${limit ?? 'NULL'}) AS late
          FROM done GROUP BY script) AS found`;
}

const perSecond = `
  SELECT json_agg(json_build_object('second', second, 'transactions', n, 'latencyMeanSeconds', mean) ORDER BY second)
  FROM (SELECT second, count(latency) AS n, sum(latency)::float8 / nullif(count(latency), 0) / 1e6::float8 AS mean
        FROM generate_series((SELECT min(second) FROM done), (SELECT max(second) FROM done)) AS second
        LEFT JOIN done USING (second) GROUP BY second) AS seconds`;

/** Class n has latencies from the square root of 2^n on. */
const latencies = `
  SELECT json_agg(json_build_object('second', second, 'seconds', 1, 'fromMicros', round(power(2::float8, class / 2.0))::int,
      'transactions', n) ORDER BY second, class)
  FROM (SELECT second, class, count(*) AS n
        FROM done, LATERAL (SELECT coalesce(max(n), 0) AS class FROM generate_series(0, 62) AS n
                            WHERE power(2::numeric, n) <= latency::numeric ^ 2) AS classes
        GROUP BY second, class) AS found`;

async function pgbench(...args: string[]): Promise<void> {
  const { target, programs } = cluster;
  await runChecked(
    [
      path.join(programs, 'pgbench'),
      ...args,
      `--host=${target.host}`,
      `--port=${target.port}`,
      `--username=${target.user}`,
      target.database,
    ],
    { environment: { PATH: process.env['PATH'], LC_ALL: 'C', ...target.environment } },
  );
}
