import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../runner/collect/collector.ts';
import type { Measures } from '../../runner/contract/metric.ts';
import { tailOf, withDerived } from '../../runner/metrics/value.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { pgbench } from '../../runner/workloads/pgbench/definition.ts';
import { pgbenchGenerator } from '../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { optionsOfPgbench } from '../../runner/workloads/pgbench/driver.ts';
import { transactionLog, transactionLogFolder } from '../../runner/workloads/pgbench/transaction-log.ts';
import { testedMajors, unpackPostgres, wheelsRunHere } from '../helpers/servers/postgres-wheels.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const { signal } = new AbortController();
const cluster = clusterForAll({ synchronous_commit: 'off', fsync: 'off' });
beforeAll(async () => {
  await load({ generatedBy: 'server', unlogged: true });
});

const generatorOf = (workload: object) =>
  pgbenchGenerator({
    workload: resolveLevel(pgbenchSchema.parse({ tool: 'pgbench', scale: 1, clients: 4, ...workload })),
    programs: cluster.programs,
    scriptFolder: cluster.folder,
    collect: [transactionLog.name],
  });

async function load(how: object): Promise<void> {
  const generator = generatorOf({ durationSeconds: 1, load: how });
  await generator.load(cluster.target, { folder: cluster.folder, signal, onProgress: () => undefined });
}

let trials = 0;
/** One trial, with everything that its log tells, and the lines of that log. */
async function measure(declared: object): Promise<{ measures: Measures; log: string[][]; folder: string }> {
  const folder = path.join(cluster.folder, `trial-${(trials += 1)}`);
  mkdirSync(folder);
  const workload = pgbenchSchema.parse({ tool: 'pgbench', scale: 1, clients: 4, durationSeconds: 1, ...declared });
  const collection = await transactionLog.start?.({
    folder,
    logged: pgbench.logged(workload),
  } as unknown as CollectedTrial);
  const startedAt = new Date();
  const request = { folder, seed: 1, signal, onProgress: () => undefined };
  const { measures } = await generatorOf({ durationSeconds: 1, ...declared }).measure(cluster.target, request);
  const found = await collection?.finish?.({ startedAt, endedAt: new Date() }, measures);
  const logs = path.join(folder, transactionLogFolder);
  const log = readdirSync(logs).flatMap((name) =>
    gunzipSync(readFileSync(path.join(logs, name)))
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  );
  return { measures: withDerived({ ...measures, ...found?.measures }, new Map()), log, folder };
}

const sorted = (micros: number[]): number[] => micros.toSorted((a, b) => a - b);
const percentile = (micros: number[], share: number): number =>
  (sorted(micros)[Math.ceil(share * micros.length) - 1] ?? NaN) / 1e6;
const latencies = (log: string[][], script?: number): number[] =>
  log
    .filter(([, , time, number]) => /^\d/.test(time ?? '') && (script === undefined || Number(number) === script))
    .map(([, , time]) => Number(time));

it('makes unlogged tables, and rows on the server', async () => {
  const { rows } = await withConnection(cluster.target, (client) =>
    client.query<{ kind: string; rows: number }>(
      `SELECT relpersistence AS kind, (SELECT count(*) FROM pgbench_accounts)::int AS rows
        FROM pg_class WHERE relname = 'pgbench_accounts'`,
    ),
  );
  expect(rows).toEqual([{ kind: 'u', rows: 100_000 }]);
  await load({});
});

it('counts the share within the limit, the lag and each script as an own sum over the raw log does', async () => {
  const scripts = [{ builtin: 'select-only', weight: 3 }, { builtin: 'tpcb-like' }];
  const { measures, log } = await measure({ rate: 600, latencyLimitMs: 3, scripts });
  // A record has no percentile of too few transactions, and how many there are depends on how busy this machine is.
  const recorded = (name: string, inLog: number): number | null => (tailOf(name, measures).isShort ? null : inLog);
  const [all, lost] = [latencies(log), log.filter(([, , time]) => time === 'skipped' || time === 'failed')];
  const within = (micros: number[]): number => micros.filter((one) => one <= 3000).length;
  expect(measures['latency.withinLimit']).toBe(within(all) / log.length);
  expect(measures['transactions']).toBe(log.length - lost.length);
  for (const [index, name] of ['select-only', 'tpcb-like'].entries()) {
    const own = latencies(log, index);
    const ownLines = log.filter(([, , time, number]) => Number(number) === index && time !== 'skipped');
    expect(measures[`transactions@${name}`]).toBe(own.length);
    for (const [short, share] of Object.entries({ p99: 0.99, p95: 0.95, p50: 0.5 })) {
      const metric = `latency.${short}@${name}`;
      expect(measures[metric]).toBe(recorded(metric, percentile(own, share)));
    }
    expect(measures[`latency.withinLimit@${name}`]).toBe(within(own) / ownLines.length);
  }
  const lags = log.filter(([, , time]) => /^\d/.test(time ?? '')).map((fields) => Number(fields[6]));
  expect(measures['lag.p99']).toBe(recorded('lag.p99', percentile(lags, 0.99)));
  expect(measures['lag.p95']).toBe(recorded('lag.p95', percentile(lags, 0.95)));
  expect(measures['lag.average']).toBeCloseTo(lags.reduce((sum, one) => sum + one, 0) / lags.length / 1e6, 5);
});

it('leaves nothing to the client where every transaction connects anew', async () => {
  const { measures } = await measure({ reconnect: true, threads: 4, scripts: [{ builtin: 'select-only' }] });
  const { 'client.turn': turn = 0, 'latency.average': latency = 0, 'latency.connection': connecting = 0 } = measures;
  const outsideLatency = ((turn ?? 0) - (latency ?? 0)) / (turn ?? 0);
  expect(outsideLatency).toBeGreaterThan(0.2);
  expect(connecting ?? 0).toBeGreaterThan(0.001);
  expect(Math.abs(measures['client.share'] ?? NaN)).toBeLessThan(outsideLatency / 2);
});

it('leaves nothing to the client where many transactions fail, and tells why they failed', async () => {
  writeFileSync(
    path.join(cluster.folder, 'conflict.sql'),
    `BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT bbalance FROM pgbench_branches WHERE bid = 1;
UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;
SELECT pg_sleep(0.002);
END;
`,
  );
  const { measures, log, folder } = await measure({
    scripts: [{ file: 'conflict.sql' }],
    threads: 2,
    failuresDetailed: true,
    verboseErrors: true,
  });
  const failed = log.filter(([, , time]) => time === 'serialization').length;
  expect(failed).toBeGreaterThan(0.2 * log.length);
  expect(measures).toMatchObject({ 'failures.serialization': failed, 'failures.deadlock': 0 });
  expect(measures['transactions.failed']).toBe(failed);
  const { 'client.turn': turn = 0, 'latency.average': latency = 0 } = measures;
  const outsideLatency = ((turn ?? 0) - (latency ?? 0)) / (turn ?? 0);
  expect(outsideLatency).toBeGreaterThan(0.2);
  expect(Math.abs(measures['client.share'] ?? NaN)).toBeLessThan(outsideLatency / 2);
  expect(readFileSync(path.join(folder, 'pgbench.stderr.log'), 'utf8')).toContain('could not serialize access');
});

it.each([
  ['20 times at most', 20],
  ['without a limit, of which pgbench prints no line', 0],
])('tells the latency of transactions that are retried %s, and how often they were', async (_, maxTries) => {
  const { measures, log } = await measure({ scripts: [{ file: 'conflict.sql' }], maxTries });
  const retried = log.filter(([, , time, , , , retries]) => /^\d/.test(time ?? '') && Number(retries) > 0);
  const mean = retried.reduce((sum, [, , time]) => sum + Number(time), 0) / retried.length / 1e6;
  expect(retried.length).toBeGreaterThan(0);
  expect(measures['latency.retried']).toBeCloseTo(mean, 9);
  expect(measures['transactions.retries']).toBe(log.reduce((sum, fields) => sum + Number(fields[6]), 0));
});

it('takes percentiles from a sample of the log, and throughput from all of it', async () => {
  const { measures, log } = await measure({ samplingRate: 0.2, scripts: [{ builtin: 'select-only' }] });
  const part = log.length / (measures['transactions'] ?? NaN);
  expect(part).toBeGreaterThan(0.15);
  expect(part).toBeLessThan(0.25);
  expect(measures['latency.p99']).toBe(percentile(latencies(log), 0.99));
  expect(measures['log.samplingRate']).toBe(0.2);
  expect(measures['latency.max']).toBeUndefined();
});

it('tells what of the latency is between statements', async () => {
  writeFileSync(path.join(cluster.folder, 'think.sql'), 'SELECT 1;\n\\sleep 5 ms\nSELECT 2;\n');
  const { measures } = await measure({ scripts: [{ file: 'think.sql' }], perStatement: true });
  expect(measures['latency.betweenStatements']).toBeGreaterThan(0.005);
  expect(measures['latency.betweenStatements']).toBeLessThan(measures['latency.average'] ?? 0);
});

it('takes neither the lag nor the time to connect, which the lag holds with a rate, for time between statements', async () => {
  const { measures } = await measure({
    scripts: [{ file: 'think.sql' }],
    perStatement: true,
    rate: 2000,
    reconnect: true,
    durationSeconds: 3,
  });
  const {
    'lag.average': lag = 0,
    'latency.connection': connecting = 0,
    'latency.betweenStatements': between,
  } = measures;
  expect(lag).toBeGreaterThan(0.5);
  expect(connecting).toBeGreaterThan(0.001);
  expect(between).toBeGreaterThan(0.005);
  expect(between).toBeLessThan(0.05);
});

/** Long names of options in a `--help`. */
const optionsIn = (help: string): string[] => [
  ...new Set([...help.matchAll(/^ {2}(?:-\S, )?(--[a-z-]+)/gm)].flatMap(([, option]) => option ?? [])),
];

describe('the table of options', () => {
  it('has each option of the pgbench that is installed', async () => {
    const { stdout } = await runChecked([path.join(cluster.programs, 'pgbench'), '--help']);
    expect(optionsIn(stdout).length).toBeGreaterThan(35);
    expect(optionsIn(stdout).filter((option) => !(option in optionsOfPgbench))).toEqual([]);
  });

  it.skipIf(!wheelsRunHere).each(testedMajors())(
    'has each option of pgbench %i, and says since when',
    async (major) => {
      const { programs, remove } = await unpackPostgres(major);
      try {
        expect(existsSync(programs)).toBe(true);
        const { stdout } = await runChecked([path.join(programs, 'pgbench'), '--help']);
        const there = optionsIn(stdout);
        expect(there.filter((option) => !(option in optionsOfPgbench))).toEqual([]);
        for (const [option, use] of Object.entries(optionsOfPgbench)) {
          if ('since' in use && use.since !== undefined)
            expect(there.includes(option), option).toBe(major >= use.since);
        }
      } finally {
        remove();
      }
    },
  );
});
