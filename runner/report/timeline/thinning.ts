import type { SeriesPoint, TrialSeries } from '../../contract/metric.ts';
import { wholeSeconds } from '../../metrics/whole-seconds.ts';
import { median } from '../../statistics/summaries.ts';

/** Values at the steps of a clock, from the start of a trial on; null for a step without a value. */
export type Steps = readonly (number | null)[];

/** A picture cannot show more points than this. If there are more seconds, neighbours are averaged. */
export const maxPoints = 400;

/** How many seconds each step averages. */
export function secondsPerStep(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / maxPoints));
}

/**
 * Means of the points in each step. A point belongs to the second in which it is.
 *
 * @param clock.step seconds
 * @param clock.steps how many steps there are; points beyond them are left out
 */
export function averaged(points: readonly SeriesPoint[], { step, steps }: Clock): Steps {
  const [sums, counts] = [new Float64Array(steps), new Uint32Array(steps)];
  for (const { second, value } of points) {
    const at = Math.floor(second / step);
    if (at < 0 || at >= steps) continue;
    sums[at] = (sums[at] ?? 0) + value;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return Array.from(sums, (sum, at) => (counts[at] ? sum / (counts[at] ?? 1) : null));
}

export interface Clock {
  step: number;
  steps: number;
}

/**
 * The seconds between the points of a series, at least one: a source may look only once a minute, and that leaves no gap.
 *
 * @returns Infinity if there are fewer than two points
 */
export function cadenceOf(points: readonly SeriesPoint[]): number {
  const distances = points.slice(1).map(({ second }, index) => second - (points[index]?.second ?? second));
  return Math.max(1, Math.round(median(distances) ?? Infinity));
}

/** When the load of a trial ran without a break, in seconds since its start. */
export interface LoadedTime {
  from: number;
  until: number;
  /** Seconds between the points of its throughput. */
  cadence: number;
}

/**
 * Without the first and the last second, within which the load began and ended.
 *
 * @param seconds of the trial, for a load without throughput by the second
 */
export function loadedTimeOf(series: TrialSeries, seconds: number): LoadedTime {
  const points = wholeSeconds(series.get('tps'));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first === last) return { from: 1, until: Math.ceil(seconds) - 1, cadence: 1 };
  const cadence = cadenceOf(points);
  return { from: first.second, until: last.second + cadence, cadence };
}

/** The points of that time, so that all panels show the same seconds. Means over longer times stay. */
export function loaded(points: readonly SeriesPoint[], { from, until, cadence }: LoadedTime): readonly SeriesPoint[] {
  return cadenceOf(points) > cadence ? points : points.filter(({ second }) => second >= from && second < until);
}

/** The median of these trials at each step. A step that fewer than half of them have is a gap, not the word of a few. */
export function mediansOf(trials: readonly Steps[]): Steps {
  const steps = trials.reduce((max, { length }) => Math.max(max, length), 0);
  return Array.from({ length: steps }, (_, at) => {
    const known = trials.flatMap((values) => values[at] ?? []);
    return known.length * 2 < trials.length ? null : median(known);
  });
}

/** Every so many steps as one, with their mean: for thin lines among many. */
export function coarser(values: Steps, every: number): Steps {
  return averaged(
    values.flatMap((value, second) => (value === null ? [] : [{ second, value }])),
    { step: every, steps: Math.ceil(values.length / every) },
  );
}

/** The median of all values; null if there is none. */
export function middleOf(values: Steps): number | null {
  return median(values.filter((value) => value !== null));
}
