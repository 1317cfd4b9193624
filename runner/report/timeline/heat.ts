import type { TrialSeries } from '../../contract/metric.ts';
import { boundOf, growth, latencyClassesIn } from '../../metrics/latency-classes.ts';
import type { LoadedTime } from './thinning.ts';

/** Transactions by time and by the class of their latency, summed over trials. */
export interface SummedLatencies {
  /** The longest step of time of a trial, in seconds. */
  seconds: number;
  /** By the start of the class in microseconds, then by the second in which a step begins. */
  classes: Map<number, Map<number, number>>;
}

export function noLatencies(): SummedLatencies {
  return { seconds: 1, classes: new Map() };
}

/** Adds the steps of a trial that lie in this time as a whole: others hold fewer transactions, and would look paler. */
export function addLatencies(sums: SummedLatencies, series: TrialSeries, { from, until }: LoadedTime): void {
  const { step, classes } = latencyClassesIn(series);
  sums.seconds = Math.max(sums.seconds, step);
  for (const { micros, points } of classes) {
    const steps = sums.classes.get(micros) ?? new Map<number, number>();
    sums.classes.set(micros, steps);
    for (const { second, value } of points) {
      if (second >= from && second + step <= until) steps.set(second, (steps.get(second) ?? 0) + value);
    }
  }
}

/** A map of where transactions were: by time from left to right, by latency from the bottom up. */
export interface Heat {
  /** Seconds of a column. */
  seconds: number;
  cells: { column: number; fromMicros: number; transactions: number }[];
  /** Latencies in seconds that half and 99% of the transactions of each column stay below; null without any. */
  below: { half: number | null; almostAll: number | null }[];
}

export function heatOf({ seconds, classes }: SummedLatencies): Heat {
  const inOrder = [...classes]
    .sort(([a], [b]) => a - b)
    .map(([micros, steps]): [number, Map<number, number>] => [micros, inColumns(steps, seconds)]);
  const cells = inOrder.flatMap(([fromMicros, steps]) =>
    [...steps].map(([column, transactions]) => ({ column, fromMicros, transactions })),
  );
  const columns = cells.reduce((max, { column }) => Math.max(max, column + 1), 0);
  const below = Array.from({ length: columns }, (_, column) => {
    const own = inOrder.map(([micros, steps]) => [micros, steps.get(column) ?? 0] as const);
    const secondsBelow = (share: number): number | null => {
      const micros = boundOf(own, share);
      return micros === null ? null : micros / 1e6;
    };
    return { half: secondsBelow(0.5), almostAll: secondsBelow(0.99) };
  });
  return { seconds, cells, below };
}

function inColumns(steps: ReadonlyMap<number, number>, seconds: number): Map<number, number> {
  const columns = new Map<number, number>();
  for (const [second, transactions] of steps) {
    const column = Math.floor(second / seconds);
    if (column >= 0) columns.set(column, (columns.get(column) ?? 0) + transactions);
  }
  return columns;
}

/** The shortest and the longest latency that any of these maps shows, in microseconds; null if all are empty. */
export function rangeOf(heats: readonly Heat[]): { from: number; to: number } | null {
  const shown = heats.flatMap(({ cells }) => cells.map(({ fromMicros }) => fromMicros));
  if (shown.length === 0) return null;
  return {
    from: shown.reduce((a, b) => Math.min(a, b)),
    to: shown.reduce((a, b) => Math.max(a, b)) * growth,
  };
}

/** How dark a cell is: 1 to `shades`, by the logarithm, since the slowest are few. */
export const shades = 6;

export function shadeOf(transactions: number, max: number): number {
  return Math.max(1, Math.ceil((shades * Math.log1p(transactions)) / Math.log1p(max)));
}
