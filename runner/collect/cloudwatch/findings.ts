import type { ObservedInstance } from '../../aws/sources.ts';
import { tookTheLoad } from '../../aws/sources.ts';
import type { Metric, SeriesRow } from '../../contract/metric.ts';
import { memberName } from '../../contract/metric-family.ts';
import { secondOf } from '../second-of.ts';
import type { Findings } from '../collector.ts';
import type { Points } from './fetch-points.ts';
import { bytesPerWrite, type Published, published } from './metrics.ts';

/** What is known of the instances of a trial in its whole minutes. */
export interface Observed {
  instance: ObservedInstance;
  points: Points;
}

/**
 * Measures and series of a trial.
 *
 * @param minutes starts of the minutes that lie wholly in the trial
 */
export function findingsOf(observed: readonly Observed[], minutes: readonly number[], startedAt: Date): Findings {
  const measures: Record<string, number> = {};
  const series: SeriesRow[] = [];
  for (const { instance, points } of observed) {
    for (const one of published) {
      const name = nameOf(one, instance);
      const values = pointsIn(points, one.name, minutes);
      if (name === null || values.size === 0) continue;
      const value = overAll(one, values, points);
      if (value !== null) measures[name] = value * one.scale;
      for (const [at, of] of values) series.push({ second: secondOf(at, startedAt), name, value: of * one.scale });
    }
    if (tookTheLoad(instance)) Object.assign(measures, perWrite(points, minutes));
  }
  return {
    measures,
    series,
    facts: {
      cloudwatch: {
        instances: Object.fromEntries(observed.map(({ instance }) => [instance.role, instance.identifier])),
        minutes: minutes.length,
        missing: Object.fromEntries(observed.flatMap((one) => missingOf(one, minutes))),
      },
    },
  };
}

/** Whether every point is there that must come. */
export function isComplete({ instance, points }: Observed, minutes: readonly number[]): boolean {
  return published.every(
    ({ name, expected }) =>
      !isExpected(expected, instance) || minutes.every((minute) => points.get(name)?.has(minute) === true),
  );
}

/** The minutes without a point, by the name of the metric, of those that should have one in each minute. */
function missingOf({ instance, points }: Observed, minutes: readonly number[]): [string, string[]][] {
  return published.flatMap((one): [string, string[]][] => {
    const name = nameOf(one, instance);
    if (name === null || !isExpected(one.expected, instance)) return [];
    const missing = minutes.filter((minute) => points.get(one.name)?.has(minute) !== true);
    return missing.length === 0 ? [] : [[name, missing.map((minute) => new Date(minute).toISOString())]];
  });
}

function isExpected(expected: Published['expected'], { dedicatedLogVolume }: ObservedInstance): boolean {
  return expected === 'always' || (expected === 'log-volume' && dedicatedLogVolume);
}

function nameOf(
  { metric, ofReader }: { metric: Metric; ofReader?: Metric },
  instance: ObservedInstance,
): string | null {
  if (tookTheLoad(instance)) return metric.name;
  return ofReader ? memberName(ofReader, instance.role) : null;
}

function pointsIn(points: Points, name: string, minutes: readonly number[]): Map<number, number> {
  const all = points.get(name);
  return new Map(
    minutes.flatMap((minute): [number, number][] => {
      const value = all?.get(minute);
      return value === undefined ? [] : [[minute, value]];
    }),
  );
}

function overAll({ over, weight }: Published, values: ReadonlyMap<number, number>, points: Points): number | null {
  const all = [...values.values()];
  if (over === 'least') return Math.min(...all);
  if (over === 'most') return Math.max(...all);
  if (weight === undefined) return sum(all) / all.length;
  const weighed = [...values].map(([minute, value]) => ({ value, by: points.get(weight)?.get(minute) ?? 0 }));
  const total = sum(weighed.map(({ by }) => by));
  return total > 0 ? sum(weighed.map(({ value, by }) => value * by)) / total : null;
}

function perWrite(points: Points, minutes: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    bytesPerWrite.flatMap(({ suffix, metric }): [string, number][] => {
      const written = pointsIn(points, `WriteThroughput${suffix}`, minutes);
      const writes = pointsIn(points, `WriteIOPS${suffix}`, minutes);
      const both = [...written.keys()].filter((minute) => writes.has(minute));
      const total = sum(both.map((minute) => writes.get(minute) ?? 0));
      return total > 0 ? [[metric.name, sum(both.map((minute) => written.get(minute) ?? 0)) / total]] : [];
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
