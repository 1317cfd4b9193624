import { partOf, type TrialSeries } from '../../contract/metric.ts';
import { type Clock, loaded, type LoadedTime, type Steps } from './thinning.ts';

const family = { name: 'waits.sessions.<event>' };

/** Sums of average active sessions by wait event over trials, and how many trials were sampled at each step. */
export interface SummedWaits {
  events: Map<string, Float64Array>;
  trials: Uint32Array;
}

export function noWaits({ steps }: Clock): SummedWaits {
  return { events: new Map(), trials: new Uint32Array(steps) };
}

/** Adds a trial while it was under load. In a second in which it was sampled, an event that no session waited for has none. */
export function addWaits(sums: SummedWaits, series: TrialSeries, { step, steps }: Clock, time: LoadedTime): void {
  const own = [...series].flatMap(([name, points]) => {
    const event = partOf(family, name);
    return event === null ? [] : [{ event, points: loaded(points, time) }];
  });
  const seconds = new Set<number>();
  for (const { points } of own) for (const { second } of points) seconds.add(second);
  const sampled = new Uint32Array(steps);
  for (const second of seconds) count(sampled, Math.floor(second / step));
  sampled.forEach((of, at) => of > 0 && count(sums.trials, at));
  for (const { event, points } of own) {
    const sum = sums.events.get(event) ?? new Float64Array(steps);
    sums.events.set(event, sum);
    for (const { second, value } of points) {
      const at = Math.floor(second / step);
      sum[at] = (sum[at] ?? 0) + value / (sampled[at] ?? 1);
    }
  }
}

function count(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

/**
 * Means over the trials that were sampled.
 *
 * @param min a step that fewer trials have is a gap
 */
export function meansOfWaits({ events, trials }: SummedWaits, min: number): Map<string, Steps> {
  const mean = (total: number, at: number): number | null => {
    const sampled = trials[at] ?? 0;
    return sampled < min ? null : total / sampled;
  };
  return new Map([...events].map(([event, sum]) => [event, Array.from(sum, mean)]));
}

/** Half of the trials, as for a median. */
export function halfOf({ trials }: SummedWaits): number {
  return Math.max(1, trials.reduce((a, b) => Math.max(a, b), 0) / 2);
}

/** The events with the most sessions anywhere, the largest first. Those that no picture can show are left out. */
export function largestEvents(all: readonly ReadonlyMap<string, Steps>[], max: number): string[] {
  const largest = new Map<string, number>();
  for (const events of all) {
    for (const [event, values] of events) largest.set(event, Math.max(largest.get(event) ?? 0, meanOf(values)));
  }
  return [...largest]
    .filter(([, mean]) => mean >= minSessions)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, max)
    .map(([event]) => event);
}

/** Average sessions of an event that is worth a band. */
const minSessions = 0.05;

/** The name of the events that have no band of their own. */
export const otherEvents = 'other events';

export interface Band {
  event: string;
  values: Steps;
}

/** The shown events, and all others as one if there are any. A step that was not sampled is a gap in all of them. */
export function bandsOf(events: ReadonlyMap<string, Steps>, shown: readonly string[], steps: number): Band[] {
  const sampled = [...events.values()][0] ?? [];
  const none = Array.from({ length: steps }, (_, at) => ((sampled[at] ?? null) === null ? null : 0));
  const others = [...events].filter(([event]) => !shown.includes(event)).map(([, values]) => values);
  const rest = none.map((zero, at) => (zero === null ? null : others.reduce((sum, one) => sum + (one[at] ?? 0), 0)));
  return [
    ...shown.map((event) => ({ event, values: events.get(event) ?? none })),
    ...(meanOf(rest) >= minSessions ? [{ event: otherEvents, values: rest }] : []),
  ];
}

/** The mean of the steps that have a value; 0 if none has. */
export function meanOf(values: Steps): number {
  const known = values.filter((value) => value !== null);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
}
