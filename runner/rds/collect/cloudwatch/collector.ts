import { type AwsSources, type ObservedInstance, sourcesInAws, tookTheLoad } from '../sources.ts';
import type { Trial } from '../../../contract/trial.ts';
import { absent, withoutFindings } from '../../../collect/absent.ts';
import { askInTime, unanswered } from '../ask-of-each.ts';
import {
  type Collector,
  type Findings,
  type LaterContext,
  secondOf,
  wholeMinutes,
  windowOf,
} from '../../../collect/collector.ts';
import type { Points } from './fetch-points.ts';
import { bytesPerWrite, published, type Published } from './metrics.ts';
import { memberName, type Metric, type SeriesRow } from '../../../contract/metric.ts';

const name = 'cloudwatch';
const minute = 60_000;

/** A trial with the instances of its server. */
interface Asked {
  trial: Trial;
  instances: readonly ObservedInstance[];
  minutes: number[];
}

/**
 * What CloudWatch reports about the RDS instances, minute by minute. Only minutes that lie wholly in a trial count: in
 * the others, the server was idle for part of the minute.
 */
export const cloudWatch: Collector = {
  name,
  optional: true,
  metrics: [
    ...published.map(({ metric }) => metric),
    ...bytesPerWrite.map(({ metric }) => metric),
    ...published.flatMap(({ readerMetric }) => readerMetric ?? []),
  ],
  async collectAfterRun(trials, context) {
    const aws = sourcesInAws(context.sources);
    const wanted = withoutFindings(name, trials);
    if (!aws || wanted.length === 0) return new Map();
    try {
      return await observe(wanted, aws, context);
    } catch (error) {
      const findings = unanswered(name, error);
      return new Map(wanted.map(({ id }) => [id, findings]));
    }
  },
};

async function observe(
  wanted: readonly Trial[],
  aws: AwsSources,
  context: LaterContext,
): Promise<ReadonlyMap<string, Findings>> {
  const found = new Map<string, Findings>();
  const asked: Asked[] = [];
  for (const trial of wanted) {
    const [instances, minutes] = [await aws.instancesOf(trial), wholeMinutes(windowOf(trial))];
    if (instances.length === 0) found.set(trial.id, absent(name, 'RDS no longer has the instance'));
    else if (minutes.length === 0) found.set(trial.id, absent(name, 'the trial contains no whole minute of the clock'));
    else asked.push({ trial, instances, minutes });
  }
  if (asked.length === 0) return found;
  // Imported only here: loading an experiment needs no AWS client.
  const { fetchPoints } = await import('./fetch-points.ts');
  const instances = new Map(asked.flatMap((one) => one.instances.map((instance) => [instance.identifier, instance])));
  const all = asked.flatMap(({ minutes }) => minutes);
  const points = await askInTime(
    () =>
      fetchPoints(
        aws.cloudWatch,
        [...instances.values()].flatMap((instance) =>
          published.filter((of) => isPublished(of, instance)).map((of) => ({ identifier: instance.identifier, of })),
        ),
        // Starts are not always in order, and there may be too many for Math.min.
        all.reduce((window, at) => ({ from: Math.min(window.from, at), to: Math.max(window.to, at + minute) }), {
          from: Infinity,
          to: 0,
        }),
      ),
    (answer) =>
      asked.every(({ instances, minutes }) =>
        observedIn(answer, instances).every((observed) => isComplete(observed, minutes)),
      ),
    asked.map(({ trial }) => trial),
    context,
  );
  for (const { trial, instances, minutes } of asked) {
    const findings = findingsOf(observedIn(points, instances), minutes, new Date(trial.startedAt));
    const nothing = (findings.series ?? []).length === 0;
    found.set(trial.id, nothing ? absent(name, 'CloudWatch has no data points for the trial') : findings);
  }
  return found;
}

function observedIn(points: ReadonlyMap<string, Points>, instances: readonly ObservedInstance[]): Observed[] {
  return instances.map((instance) => ({
    instance,
    points: points.get(instance.identifier) ?? new Map<string, never>(),
  }));
}

/** What is known about an instance of a trial in its whole minutes. */
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

/** Whether every expected point has arrived. */
export function isComplete({ instance, points }: Observed, minutes: readonly number[]): boolean {
  return published.every(
    (one) => !isExpected(one, instance) || minutes.every((minute) => points.get(one.name)?.has(minute) === true),
  );
}

/** The minutes without a point, by the name of the metric, for the metrics that should have one in each minute. */
function missingOf({ instance, points }: Observed, minutes: readonly number[]): [string, string[]][] {
  return published.flatMap((one): [string, string[]][] => {
    const name = nameOf(one, instance);
    if (name === null || !isExpected(one, instance)) return [];
    const missing = minutes.filter((minute) => points.get(one.name)?.has(minute) !== true);
    return missing.length === 0 ? [] : [[name, missing.map((minute) => new Date(minute).toISOString())]];
  });
}

/** Without a proxy, nothing publishes what a proxy would. */
function isPublished({ of }: Published, instance: ObservedInstance): boolean {
  return of !== 'proxy' || instance.hasProxy === true;
}

function isExpected(one: Published, instance: ObservedInstance): boolean {
  const { expected } = one;
  return isPublished(one, instance) && (expected === 'always' || (expected === 'log-volume' && instance.hasLogVolume));
}

function nameOf(
  { metric, readerMetric }: { metric: Metric; readerMetric?: Metric },
  instance: ObservedInstance,
): string | null {
  if (tookTheLoad(instance)) return metric.name;
  return readerMetric ? memberName(readerMetric, instance.role) : null;
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
