import type { Collector } from '../../collect/collector.ts';
import type { SeriesRow } from '../../contract/metric.ts';
import type { LatencyDigest } from '../../contract/tool-output.ts';

/** Folder of the logs within the folder of a trial. */
export const transactionLogFolder = 'transactions';

const percentiles = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;

/** Measures from pgbench's log of every transaction: percentiles, and throughput and latency for each second. */
export const transactionLog: Collector = {
  name: 'transaction-log',
  optional: true,
  metrics: [],
  gives: percentiles.map((name) => `latency.${name}`),
  start({ folder, startedAt, offeredPerSecond }) {
    return Promise.resolve({
      async finish() {
        const { readTransactionLogs } = await import('./log/log-files.ts');
        const digest = await readTransactionLogs(`${folder}/${transactionLogFolder}`, {
          hasLag: offeredPerSecond !== null,
        });
        return {
          measures: Object.fromEntries(percentiles.map((name) => [`latency.${name}`, digest.latencySeconds[name]])),
          series: seriesOf(digest, startedAt),
          facts: { problems: digest.problems ?? [] },
        };
      },
    });
  },
};

/** Series by the seconds of the clock. Second 0 is the one in which the trial started. */
function seriesOf({ perSecond }: LatencyDigest, startedAt: Date): SeriesRow[] {
  const start = Math.floor(startedAt.getTime() / 1000);
  return perSecond.flatMap(({ second, transactions, latencyMeanSeconds }) => [
    { second: second - start, name: 'tps', value: transactions },
    ...(latencyMeanSeconds === null
      ? []
      : [{ second: second - start, name: 'latency.average', value: latencyMeanSeconds }]),
  ]);
}
