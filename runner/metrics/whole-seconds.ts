import type { SeriesPoint } from '../contract/metric.ts';

/** A series with one point a second, without its first and last point: a trial starts and ends within a second. */
export function wholeSeconds(points: readonly SeriesPoint[] | undefined): readonly SeriesPoint[] {
  return points?.slice(1, -1) ?? [];
}
