import { seesAllSessions, withoutRole } from '../../postgres/predefined-roles.ts';
import { isFamily, type Measures, memberName, partOf, type SeriesRow } from '../../contract/metric.ts';
import { absent } from '../absent.ts';
import { type Collector, type Findings, type MeasuredPart, secondOf, type Need } from '../collector.ts';
import { type Sampled, sampleServer } from '../sampler.ts';
import { isOn, whyDenied } from '../needs.ts';
import { isKnown } from '../../postgres/versions/known.ts';
import { active, cost, idle, missed, samples, sessions, share, vacuums, workers } from './wait-event-metrics.ts';
import { eventOf, isKnownEvent, spellingsOf } from '../wait-event-names.ts';

/** A session that works and waits for nothing that the server knows of. Performance Insights uses the same name. */
const onProcessor = 'CPU';

/**
 * How many sessions are in each wait event. Sessions that wait for their client are not active: their event is null.
 * `isHidden`: the server does not say what its sessions do.
 */
export type Counted = {
  event: string | null;
  sessions: number;
  isWorker?: boolean;
  isVacuum?: boolean;
  isHidden?: boolean;
}[];

const activities: Need = {
  setting: 'track_activities',
  suffices: isOn,
  gap: 'the server does not say what sessions do',
  remedy: 'set it to on',
};

/** What the sessions of the load wait for, sampled throughout over a separate connection. */
export const waitEvents: Collector = {
  name: 'wait-events',
  optional: true,
  metrics: [active, idle, workers, share, sessions, vacuums, samples, missed, cost],
  needs: [activities],
  async start(trial) {
    const { target, sampleSeconds, now, serverMajor, database } = trial;
    const { rows } = await database((client) =>
      client.query<{ seesAll: boolean }>(`SELECT ${seesAllSessions} AS "seesAll"`),
    );
    const seesAll = rows[0]?.seesAll === true;
    const query = { name: 'sample', text: sampleQuery, values: [target.database] };
    const sampler = await sampleServer(
      target,
      sampleSeconds,
      async (client) => (await client.query<Counted[number]>(query)).rows,
    );
    const startedToSample = now();
    let ended: { sampled: Sampled<Counted>; seconds: number } | undefined;
    return {
      async stop() {
        const sampled = await sampler.stop();
        ended = { sampled, seconds: (now().getTime() - startedToSample.getTime()) / 1000 };
        return {};
      },
      // Only now does the load say when it began and ended.
      finish: (part) =>
        Promise.resolve(
          ended ? findingsOf(ended.sampled, { ...part, seconds: ended.seconds, serverMajor, seesAll }) : {},
        ),
      abandon: () => sampler.abandon(),
    };
  },
};

/** The shares of the wait events among the measures of a trial, by event. */
export function sharesOfEvents(measures: Measures): Map<string, number> {
  const others = waitEvents.metrics.filter((metric) => metric !== share);
  const isOther = (name: string): boolean =>
    others.some((one) => (isFamily(one) ? partOf(one, name) !== null : one.name === name));
  return new Map(
    Object.entries(measures).flatMap(([name, value]): [string, number][] => {
      const event = partOf(share, name);
      return event === null || value === null || isOther(name) ? [] : [[event, value]];
    }),
  );
}

const sampleQuery = `SELECT CASE WHEN state IN ('active', 'fastpath function call')
      THEN coalesce(wait_event_type || ':' || wait_event, '${onProcessor}') END AS event,
    backend_type = 'parallel worker' AS "isWorker", backend_type = 'autovacuum worker' AS "isVacuum", coalesce(state = 'disabled', false) AS "isHidden",
    count(*)::int AS sessions
  FROM pg_stat_activity
  WHERE datname = $1 AND backend_type IN ('client backend', 'parallel worker', 'autovacuum worker')
    AND application_name <> 'pgduet'
  GROUP BY 1, 2, 3, 4`;

/** A parallel worker that waits for its leader, or for another worker. */
const forProcesses = /^IPC:/;

/**
 * @param trial.seconds how long the sampler ran
 * @param trial.serverMajor major version of the server
 * @param trial.seesAll whether our role sees what the server's own processes do
 * @returns the share of each event in all active sessions, and average active sessions by event, also as series
 */
export function findingsOf(
  { samples: all, missed: late, lookSeconds, failure }: Sampled<Counted>,
  {
    startedAt,
    load,
    seconds,
    serverMajor,
    seesAll,
  }: Pick<MeasuredPart, 'startedAt' | 'load'> & { seconds: number; serverMajor: number; seesAll: boolean },
): Findings {
  const warnings = failure ? [`Sampling of wait events stopped early: ${failure.message}`] : [];
  // While clients connect and disconnect, there are sessions without a transaction, and fewer sessions than clients.
  const { from, to } = load ?? { from: startedAt.getTime(), to: Infinity };
  const sampled = all.filter(({ at }) => at >= from && at < to);
  if (sampled.length === 0 || failure) return { warnings };
  if (sampled.some(({ value }) => value.some((one) => one.isHidden && isSession(one)))) {
    return absent(waitEvents.name, whyDenied(activities));
  }
  const sessionSamples = sampled.map(({ at, value }) => ({ at, value: value.filter(isSession) }));
  const events = new Set(sessionSamples.flatMap(({ value }) => value.flatMap(({ event }) => event ?? [])));
  const spellings = spellingsOf(events);
  // Of a version that is known, an unknown event is that of an extension.
  const unknown = isKnown(serverMajor)
    ? []
    : [...events].filter((event) => event !== onProcessor && !isKnownEvent(event)).sort();
  const observed = sessionSamples.map(({ at, value }) => ({
    at,
    value: value.map(({ event, sessions: count }) => ({ event: event && eventOf(event), sessions: count })),
  }));
  const busyWorkers = sampled
    .flatMap(({ value }) => value)
    .filter(({ event, isWorker }) => isWorker && event !== null && !forProcesses.test(event))
    .reduce((sum, { sessions: count }) => sum + count, 0);
  const vacuuming = sampled
    .flatMap(({ value }) => value)
    .filter(({ isVacuum }) => isVacuum)
    .reduce((sum, { sessions: count }) => sum + count, 0);
  const total = sumByEvent(observed.map(({ value }) => value));
  const waiting = total.get(null) ?? 0;
  total.delete(null);
  const activeSum = [...total.values()].reduce((sum, one) => sum + one, 0);
  const byEvent = [...total].flatMap(([event, sum]) =>
    event === null
      ? []
      : [
          [memberName(share, event), sum / activeSum],
          [memberName(sessions, event), sum / observed.length],
        ],
  );
  const facts = {
    ...(Object.keys(spellings).length > 0 && { waitEvents: spellings }),
    ...(unknown.length > 0 && { unknownWaitEvents: unknown }),
    ...(!seesAll && absent(waitEvents.name, `autovacuum at work is not seen: ${withoutRole('pg_monitor')}`).facts),
  };
  return {
    measures: {
      [active.name]: activeSum / observed.length,
      [idle.name]: waiting / observed.length,
      [workers.name]: busyWorkers / observed.length,
      [vacuums.name]: seesAll ? vacuuming / observed.length : null,
      ...(Object.fromEntries(byEvent) as Record<string, number>),
      [samples.name]: observed.length,
      [missed.name]: late,
      [cost.name]: seconds > 0 ? lookSeconds / seconds : null,
    },
    series: seriesOf(observed, startedAt),
    ...(Object.keys(facts).length > 0 && { facts }),
    warnings: [
      ...warnings,
      ...(unknown.length > 0
        ? [
            `PostgreSQL ${serverMajor} is newer than pgduet knows. These wait events are new, and their component follows from their type alone: ${unknown.join(', ')}.`,
          ]
        : []),
    ],
  };
}

function isSession({ isWorker, isVacuum }: Counted[number]): boolean {
  return !isWorker && !isVacuum;
}

/** Average active sessions by event in each second; zero for an event that does not occur in a second. */
function seriesOf(observed: readonly { at: number; value: Counted }[], startedAt: Date): SeriesRow[] {
  const bySecond = new Map<number, Counted[]>();
  for (const { at, value } of observed) {
    const second = secondOf(at, startedAt);
    const own = bySecond.get(second) ?? [];
    if (own.length === 0) bySecond.set(second, own);
    own.push(value);
  }
  const events = new Set(observed.flatMap(({ value }) => value.map(({ event }) => event)));
  return [...bySecond].flatMap(([second, counted]) => {
    const sums = sumByEvent(counted);
    return [
      // With these counts, the means of the trial can be computed from those of its seconds.
      { second, name: samples.name, value: counted.length },
      ...[...events].map((event) => ({
        second,
        name: event === null ? idle.name : memberName(sessions, event),
        value: (sums.get(event) ?? 0) / counted.length,
      })),
    ];
  });
}

function sumByEvent(samples: readonly Counted[]): Map<string | null, number> {
  const sums = new Map<string | null, number>();
  for (const { event, sessions: count } of samples.flat()) sums.set(event, (sums.get(event) ?? 0) + count);
  return sums;
}
