import type { Collector } from '../../collect/collector.ts';
import type { SeriesRow } from '../../contract/metric.ts';
import type { LatencyDigest } from '../../contract/tool-output.ts';

/** Folder in that of a trial. */
export const transactionLogFolder = 'transactions';

const percentiles = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;

/** What pgbench logs of every transaction: percentiles, and throughput and latency by the second. */
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

/** By the seconds of the clock, of which 0 is the one in which the trial started. */
function seriesOf({ perSecond }: LatencyDigest, startedAt: Date): SeriesRow[] {
  const start = Math.floor(startedAt.getTime() / 1000);
  return perSecond.flatMap(({ second, transactions, latencyMeanSeconds }) => [
    { second: second - start, name: 'tps', value: transactions },
    ...(latencyMeanSeconds === null
      ? []
      : [{ second: second - start, name: 'latency.average', value: latencyMeanSeconds }]),
  ]);
}
