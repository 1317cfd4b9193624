import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../runner/collect/collector.ts';
import { median } from '../../../runner/statistics/summaries.ts';
import { transactionLog, transactionLogFolder } from '../../../runner/workloads/pgbench/transaction-log.ts';
import { measuredSince } from '../../helpers/samples/measured-part.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pgduet-clock-'));
  mkdirSync(path.join(folder, transactionLogFolder));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('has only percentiles of a sample: what pgbench counts of all transactions stays its own', async () => {
  // No transaction of slow is in the sample.
  const lines = Array.from({ length: 40 }, (_, index) =>
    index % 4 === 3
      ? `0 ${index + 1} failed 0 ${1_700_000_000 + index} 0 0`
      : `0 ${index + 1} ${5000 + index} 0 ${1_700_000_000 + index} 0 ${index}`,
  );
  writeFileSync(path.join(folder, transactionLogFolder, 'pgbench_log.1'), `${lines.join('\n')}\n`);
  const logged = { samplingRate: 0.1, scripts: ['fast', 'slow'], latencyLimitMicros: 5010 };
  const measured = async (hasLag: boolean) => {
    const collection = await transactionLog.start?.({
      folder,
      logged: { ...logged, hasLag },
    } as unknown as CollectedTrial);
    const runMeasures = { tps: 10, transactions: 300, 'transactions.failed': 100, 'transactions.skipped': 0 };
    const { measures = {}, series } =
      (await collection?.finish?.(measuredSince(new Date(1_700_000_000_000)), runMeasures)) ?? {};
    expect(series).toEqual([]);
    expect(measures).toMatchObject({ 'log.transactions': 30, 'log.failed': 10, 'log.samplingRate': 0.1 });
    return Object.keys(measures).filter((name) => !name.startsWith('log.'));
  };
  const latencies = ['latency.p50', 'latency.p90', 'latency.p95', 'latency.p99', 'latency.p999'];
  const fastLatencies = ['latency.p50@fast', 'latency.p95@fast', 'latency.p99@fast', 'latency.p999@fast'];
  expect(await measured(false)).toEqual([...latencies, ...fastLatencies]);
  expect(await measured(true)).toEqual([...latencies, 'lag.p50', 'lag.p95', 'lag.p99', ...fastLatencies]);
});

it.each([0, 250, 999])('has second 0 where the load began, %d ms after a second of the clock', async (milliseconds) => {
  const [seconds, tps] = [10, 200];
  const startedAt = new Date(1_700_000_000_000 + milliseconds);
  const lines = Array.from({ length: seconds * tps }, (_, index) => {
    const micros = startedAt.getTime() * 1000 + ((index + 0.5) * 1e6) / tps;
    return `0 ${index + 1} 5000 0 ${Math.floor(micros / 1e6)} ${micros % 1e6}`;
  });
  writeFileSync(path.join(folder, transactionLogFolder, 'pgbench_log.1'), `${lines.join('\n')}\n`);

  // The sources start first. The moment at which they do is not known to have been eight seconds too early.
  const trial = { folder, logged: {}, startedAt: new Date(startedAt.getTime() - 8000) };
  const collection = await transactionLog.start?.(trial as unknown as CollectedTrial);
  const runMeasures = { transactions: lines.length, 'transactions.failed': 0, 'transactions.skipped': 0 };
  const { series = [] } = (await collection?.finish?.(measuredSince(startedAt), runMeasures)) ?? {};
  const rates = series.filter(({ name }) => name === 'tps');
  expect(rates.map(({ second }) => second)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(median(rates.map(({ value }) => value))).toBe(tps);
});
