import { partOf, type SeriesPoint, type TrialSeries } from '../contract/metric.ts';
import { secondsOfStep } from '../workloads/pgbench/log/latency-classes.ts';
import { transactionsOfClass } from '../workloads/pgbench/transaction-log.ts';

/** The next class of latencies begins at so many times the start of a class. */
export const growth = Math.SQRT2;

/** Transactions of one trial by the class of their latency. */
export interface LatencyClasses {
  /** Width of the steps of time in seconds, the same for all of a trial. */
  step: number;
  /** `micros` is the start of the class; each point has how many transactions a step holds, by the second in which it begins. */
  classes: { micros: number; points: SeriesPoint[] }[];
}

/** Whether it is a series that `latencyClassesIn` reads. */
export function isLatencyClass(name: string): boolean {
  return partOf(transactionsOfClass, name) !== null;
}

export function latencyClassesIn(series: TrialSeries): LatencyClasses {
  const classes = [...series].flatMap(([name, points]) => {
    const micros = Number(partOf(transactionsOfClass, name) ?? NaN);
    return micros > 0 ? [{ micros, points: [...points] }] : [];
  });
  // A step without transactions is in no class. Throughput has every second of the log.
  const seconds = (series.get('tps') ?? []).map(({ second }) => second);
  const [first = 0, last = 0] = [seconds.at(0), seconds.at(-1)];
  return { step: secondsOfStep(last - first + 1), classes };
}

/**
 * The end of the class in which this share of all transactions is reached, in microseconds; null without any.
 *
 * @param classes by the start of each in microseconds, in that order
 */
export function boundOf(
  classes: Iterable<readonly [micros: number, transactions: number]>,
  share: number,
): number | null {
  const inOrder = [...classes];
  const all = inOrder.reduce((sum, [, transactions]) => sum + transactions, 0);
  if (all === 0) return null;
  let reached = 0;
  const found = inOrder.find(([, transactions]) => (reached += transactions) >= share * all);
  return found ? found[0] * growth : null;
}
