import { existsSync } from 'node:fs';
import type { Collector } from '../../collect/collector.ts';
import type { Metric, SeriesRow } from '../../contract/metric.ts';
import type { LatencyDigest } from '../../contract/tool-output.ts';

/** Folder of the logs within the folder of a trial. */
export const transactionLogFolder = 'transactions';

const percentiles = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;

/** Measures from pgbench's log of every transaction: percentiles, and throughput and latency for each second. */
export const transactionLog: Collector = {
  name: 'transaction-log',
  optional: true,
  metrics: [
    counted('log.transactions', 'transactions'),
    counted('log.failed', 'failed'),
    counted('log.skipped', 'skipped'),
  ],
  gives: percentiles.map((name) => `latency.${name}`),
  start({ folder, offeredPerSecond }) {
    return Promise.resolve({
      async finish({ startedAt }, ofRun) {
        const logs = `${folder}/${transactionLogFolder}`;
        // The generator makes the folder if it asks for a log.
        if (!existsSync(logs)) return {};
        const { readTransactionLogs } = await import('./log/log-files.ts');
        const digest = await readTransactionLogs(logs, {
          hasLag: offeredPerSecond !== null,
          startedAt,
        });
        const inLog = {
          'log.transactions': digest.transactions,
          'log.failed': digest.failedTransactions,
          'log.skipped': digest.skippedTransactions,
        };
        // A part of the log has other percentiles than the whole.
        const isWhole =
          isSame(inLog['log.transactions'], ofRun['transactions']) &&
          isSame(inLog['log.failed'], ofRun['transactions.failed']) &&
          isSame(inLog['log.skipped'], ofRun['transactions.skipped']);
        return {
          measures: {
            ...inLog,
            ...Object.fromEntries(
              percentiles.map((name) => [`latency.${name}`, isWhole ? digest.latencySeconds[name] : null]),
            ),
          },
          series: isWhole ? seriesOf(digest) : [],
          facts: { problems: digest.problems ?? [] },
        };
      },
    });
  },
};

function counted(name: string, what: string): Metric {
  const source = `lines of ${what} transactions in the log of every transaction`;
  return {
    name,
    label: `${what} in the log`,
    unit: '1',
    kind: 'count',
    better: 'higher',
    compared: null,
    hidden: true,
    source,
  };
}

/** Whether the log has as many as the run says. A run that does not say cannot be compared. */
function isSame(inLog: number, ofRun: number | null | undefined): boolean {
  return ofRun === null || ofRun === undefined || inLog === ofRun;
}

function seriesOf({ perSecond }: LatencyDigest): SeriesRow[] {
  return perSecond.flatMap(({ second, transactions, latencyMeanSeconds }) => [
    { second, name: 'tps', value: transactions },
    ...(latencyMeanSeconds === null ? [] : [{ second, name: 'latency.average', value: latencyMeanSeconds }]),
  ]);
}
