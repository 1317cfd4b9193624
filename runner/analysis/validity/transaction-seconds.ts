import { type Measures, type Metric, scriptMetric } from '../../contract/metric.ts';

/** Standard deviations above the mean that are still usual. */
const deviations = 2;

/**
 * How long a transaction of this load may take although nothing stalls: the mean and two standard deviations, or the mean
 * of the slowest script. It is not the slowest transaction: a stall makes the transactions slow that it hits, but among
 * many others, these few hardly raise mean and deviation.
 *
 * @returns seconds; 0 if the latency is unknown
 */
export function typicalTransactionSeconds(measures: Measures): number {
  const { 'latency.average': average = null, 'latency.stddev': deviation = null, 'lag.average': lag = null } = measures;
  if (average === null) return 0;
  // At a given rate, a stall delays every transaction that was due meanwhile. That is lag.
  if (lag !== null) return Math.max(0, average - lag);
  const means = Object.entries(measures).flatMap(([name, value]) =>
    name.startsWith(averageOfScript) && value !== null ? [value] : [],
  );
  return Math.max(average + deviations * (deviation ?? 0), ...means);
}

const averageOfScript = scriptMetric('latency.average', '');

/** The share of a trial in which clients that had finished may have waited for the last transactions of others. */
export function endingShare({ 'load.seconds': seconds = null }: Measures, durationSeconds: number | null): number {
  return durationSeconds === null || seconds === null || seconds <= 0 ? 0 : Math.max(0, 1 - durationSeconds / seconds);
}

/**
 * Transactions of each client in a trial, with fewer of which it says little. Throughput needs more: it depends on how the last
 * ones end.
 */
export function transactionsWanted(deciding: Pick<Metric, 'kind'> | undefined): number {
  return deciding?.kind === 'rate' ? wanted.throughput : wanted.latency;
}

const wanted = { throughput: 10, latency: 3 };
