import type { SeriesPoint } from '../contract/metric.ts';

/** The points of a series by the second without its first and last one: a trial starts and ends in mid-second. */
export function wholeSeconds(points: readonly SeriesPoint[] | undefined): readonly SeriesPoint[] {
  return points?.slice(1, -1) ?? [];
}
