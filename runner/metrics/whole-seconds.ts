import type { Measures, SeriesPoint } from '../contract/metric.ts';

/** A series with one point a second, without its first and last point: a trial starts and ends within a second. */
export function wholeSeconds(points: readonly SeriesPoint[] | undefined): readonly SeriesPoint[] {
  return points?.slice(1, -1) ?? [];
}

/** The most consecutive seconds without a transaction. */
export function longestSilence(points: readonly SeriesPoint[]): number {
  let [longest, silent] = [0, 0];
  for (const { value } of points) {
    silent = value > 0 ? 0 : silent + 1;
    longest = Math.max(longest, silent);
  }
  return longest;
}

const longSeconds = 1;

/**
 * Whether throughput by the second shows when transactions ended, not how fast they are: they take longer than a second,
 * and none ended in some seconds.
 */
export function areLong({ 'latency.average': latency = null, 'seconds.silent': silent = null }: Measures): boolean {
  return latency !== null && latency >= longSeconds && silent !== null && silent > 0;
}
