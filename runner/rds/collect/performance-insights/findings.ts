import {
  type DataPoint,
  GetResourceMetricsCommand,
  type GetResourceMetricsResponse,
  type PIClient,
} from '@aws-sdk/client-pi';
import { type Measures, memberName } from '../../../contract/metric.ts';
import { type Findings, secondOf, type Window } from '../../../collect/collector.ts';
import { sharesOfEvents } from '../../../collect/postgres/wait-events.ts';
import { eventOf, spellingsOf } from '../../../collect/wait-event-names.ts';
import { difference, load, sessions, share } from './metrics.ts';
import { callAws } from '../../aws/call.ts';

/**
 * Shares and sessions by wait event.
 *
 * @param measures of the trial, with the shares from our own samples
 * @param missing number of periods without data
 */
export function findingsOf(
  { total, byEvent: bySpelling }: DatabaseLoad,
  {
    startedAt,
    measures,
    periodSeconds,
    missing,
  }: {
    startedAt: Date;
    measures: Measures;
    periodSeconds: number;
    missing: number;
  },
): Findings {
  const all = sumOf(total);
  const byEvent = new Map([...bySpelling].map(([spelling, of]) => [eventOf(spelling), of]));
  const spellings = spellingsOf(bySpelling.keys());
  const shares = new Map([...byEvent].map(([event, of]) => [event, all > 0 ? sumOf(of) / all : 0]));
  const rows = (name: string, of: Sessions) =>
    [...of].map(([at, value]) => ({ second: secondOf(at, startedAt), name, value }));
  return {
    measures: {
      [load.name]: all / total.size,
      ...mapEntries(shares, (event, value) => [memberName(share, event), value]),
      ...mapEntries(byEvent, (event, of) => [memberName(sessions, event), sumOf(of) / total.size]),
      [difference.name]: largestDifference(sharesOfEvents(measures), shares),
    },
    series: [
      ...rows(load.name, total),
      ...[...byEvent].flatMap(([event, of]) => rows(memberName(sessions, event), of)),
    ],
    facts: {
      insights: {
        periodSeconds,
        periods: total.size,
        missing,
        ...(Object.keys(spellings).length > 0 && { waitEvents: spellings }),
      },
    },
  };
}

/** The largest absolute difference between two shares of one wait event; null if either side has none. */
export function largestDifference(
  ours: ReadonlyMap<string, number>,
  theirs: ReadonlyMap<string, number>,
): number | null {
  if (ours.size === 0 || theirs.size === 0) return null;
  // The service returns only the events with the most sessions. It says nothing about the others.
  const events = theirs.size < eventsAtMost ? new Set([...ours.keys(), ...theirs.keys()]) : theirs.keys();
  return Math.max(...[...events].map((event) => Math.abs((ours.get(event) ?? 0) - (theirs.get(event) ?? 0))));
}

function mapEntries<Value>(
  map: ReadonlyMap<string, Value>,
  entry: (event: string, value: Value) => [string, number],
): Record<string, number> {
  return Object.fromEntries([...map].map(([event, value]) => entry(event, value)));
}

function sumOf(values: Sessions): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

/** Average active sessions by the start of their period (Unix time in milliseconds). */
export type Sessions = Map<number, number>;

export interface DatabaseLoad {
  total: Sessions;
  /** By wait event, such as `LWLock:WALWrite`, `IO:WalSync` or `CPU`; only the events with the most sessions. */
  byEvent: Map<string, Sessions>;
}

const metric = 'db.load.avg';
/** The most that the service returns. */
const eventsAtMost = 25;

/**
 * The load of one database instance, by wait event, in periods that begin in a window.
 *
 * The API outlives its console, which was removed on 2026-07-31: "The Performance Insights API will continue to exist
 * with no changes", as part of CloudWatch Database Insights.
 *
 * @param resourceId DbiResourceId
 * @throws {AwsCallError}
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/USER_PerfInsights.Enabling.html for its future
 * @see https://docs.aws.amazon.com/performance-insights/latest/APIReference/API_GetResourceMetrics.html
 */
export async function fetchLoad(
  client: PIClient,
  resourceId: string,
  { from, to }: Window,
  periodSeconds: 1 | 60,
): Promise<DatabaseLoad> {
  const load: DatabaseLoad = { total: new Map(), byEvent: new Map() };
  let NextToken: string | undefined;
  do {
    const answer: GetResourceMetricsResponse = await callAws('pi:GetResourceMetrics', resourceId, () =>
      client.send(
        new GetResourceMetricsCommand({
          ServiceType: 'RDS',
          Identifier: resourceId,
          MetricQueries: [
            { Metric: metric },
            { Metric: metric, GroupBy: { Group: 'db.wait_event', Limit: eventsAtMost } },
          ],
          StartTime: new Date(from),
          EndTime: new Date(to),
          PeriodInSeconds: periodSeconds,
          // By default, each point has the time at which its period ends.
          PeriodAlignment: 'START_TIME',
          NextToken,
        }),
      ),
    );
    for (const { Key: { Dimensions: dimensions } = {}, DataPoints = [] } of answer.MetricList ?? []) {
      const event = dimensions === undefined ? null : eventName(dimensions);
      addPoints(event === null ? load.total : sessionsIn(load, event), DataPoints, { from, to });
    }
    NextToken = answer.NextToken;
  } while (NextToken !== undefined && NextToken !== '');
  return load;
}

/**
 * A wait event as pg_stat_activity names it, with its type. The service reports the type in a dimension of its own. The
 * name may or may not contain it, too.
 */
export function eventName(dimensions: Readonly<Record<string, string>>): string {
  const { 'db.wait_event.name': name = '', 'db.wait_event.type': type = '' } = dimensions;
  return type === '' || name === type || name.startsWith(`${type}:`) ? name : `${type}:${name}`;
}

function sessionsIn({ byEvent }: DatabaseLoad, event: string): Sessions {
  const known = byEvent.get(event) ?? new Map<number, number>();
  byEvent.set(event, known);
  return known;
}

/** A period without data has no value. */
function addPoints(sessions: Sessions, points: readonly Partial<DataPoint>[], { from, to }: Window): void {
  for (const { Timestamp, Value } of points) {
    const at = Timestamp?.getTime() ?? NaN;
    if (at >= from && at < to && Value !== undefined && Number.isFinite(Value)) sessions.set(at, Value);
  }
}
