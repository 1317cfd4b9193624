import type { Measures } from '../../contract/metric.ts';
import { memberName } from '../../contract/metric-family.ts';
import { secondOf } from '../second-of.ts';
import type { Findings } from '../collector.ts';
import { sharesOfEvents } from '../postgres/wait-events.ts';
import { eventOf, spellingsOf } from '../wait-event-names.ts';
import { type DatabaseLoad, eventsAtMost, type Sessions } from './fetch-load.ts';
import { difference, load, sessions, share } from './metrics.ts';

/**
 * Shares and sessions by wait event.
 *
 * @param measures of the trial, with the shares of our own samples
 * @param missing number of periods of which nothing is known
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
      ...ofEach(shares, (event, value) => [memberName(share, event), value]),
      ...ofEach(byEvent, (event, of) => [memberName(sessions, event), sumOf(of) / total.size]),
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
  // Of the events behind the last one that it tells, the service says nothing.
  const events = theirs.size < eventsAtMost ? new Set([...ours.keys(), ...theirs.keys()]) : theirs.keys();
  return Math.max(...[...events].map((event) => Math.abs((ours.get(event) ?? 0) - (theirs.get(event) ?? 0))));
}

function ofEach<Value>(
  map: ReadonlyMap<string, Value>,
  entry: (event: string, value: Value) => [string, number],
): Record<string, number> {
  return Object.fromEntries([...map].map(([event, value]) => entry(event, value)));
}

function sumOf(values: Sessions): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}
