import { inSeconds } from './lines.ts';

/** Transactions by their latency. A class stands for latencies within 0.9% of its value. */
export type Histogram = readonly { milliseconds: number; transactions: number }[];

/** sysbench puts every longer latency into its last class. */
const lastClass = 100_000;

/**
 * A percentile as sysbench computes it (sb_histogram.c): the class in which this share of the transactions is reached.
 *
 * @returns seconds; null without any transaction, or where the class is the last one, which has no upper end
 */
export function percentileOf(histogram: Histogram, percentile: number): number | null {
  const wanted = Math.floor((countOf(histogram) * percentile) / 100 + 0.5);
  let reached = 0;
  const found = histogram.find(({ transactions }) => (reached += transactions) >= wanted);
  return found === undefined || found.milliseconds >= lastClass ? null : inSeconds(found.milliseconds);
}

export function countOf(histogram: Histogram): number {
  return histogram.reduce((sum, { transactions }) => sum + transactions, 0);
}
