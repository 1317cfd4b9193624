import type { Measures, Metric } from '../contract/metric.ts';

/**
 * Where the time of a transaction goes: what sessions wait for, sorted into kinds. By Little's law, the sessions that are in a
 * state on average, divided by the transactions per second, are the time that each transaction spends in it. So the kinds add
 * up to clients / TPS, and the change of each kind says which part of a difference it is.
 *
 * An event belongs to the first kind whose pattern it matches, and so to one only. Waits for the flush of WAL and waits to
 * insert into it are apart: they have different causes, and one may grow while the other shrinks.
 *
 * Names of wait events are those of 18: https://www.postgresql.org/docs/18/monitoring-stats.html#WAIT-EVENT-TABLE
 */
const kinds = [
  {
    kind: 'walFlush',
    title: 'waits until WAL is written and flushed',
    events: /^(IO:Wal(Sync|Write)|LWLock:WALWrite|Timeout:CommitDelay)$/,
  },
  { kind: 'walInsert', title: 'waits to insert WAL into its buffers', events: /^LWLock:WAL(Insert|BufMapping)$/ },
  { kind: 'walFiles', title: 'other waits for WAL files', events: /^(IO:Wal|LWLock:WAL)/ },
  { kind: 'syncRep', title: 'waits for synchronous standbys', events: /^IPC:SyncRep$/ },
  // A lock on the end of a table is held while a file grows.
  { kind: 'locks', title: 'waits for locks of other transactions', events: /^Lock:(?!extend$)/ },
  {
    kind: 'dataRead',
    title: 'waits to read data',
    events:
      /^(IO:(DataFile(Read|Prefetch)|Aio\w+)|LWLock:(BufferMapping|Aio\w+)|IPC:BufferIo)$/,
  },
  { kind: 'dataWrite', title: 'waits to write data', events: /^(IO:DataFile|Lock:extend$)/ },
  { kind: 'temporaryFiles', title: 'waits for temporary files', events: /^IO:Buffile/ },
  { kind: 'internalLocks', title: 'waits for locks inside the server', events: /^LWLock:/ },
  { kind: 'sleep', title: 'sleeps in pg_sleep', events: /^Timeout:PgSleep$/ },
  { kind: 'cpu', title: 'works, or waits for a processor', events: /^CPU$/ },
  // Also of sessions that still seem to be active: their state changes a moment after what they wait for.
  { kind: 'client', title: 'waits for its client', events: /^Client:/ },
  { kind: 'other', title: 'other waits', events: /^/ },
] as const;

export type TurnKind = (typeof kinds)[number]['kind'];

/** All kinds of time; `title` says in words what the session of a transaction does in it. */
export const turnKinds: readonly { kind: TurnKind; title: string }[] = kinds;

/** The kind of time that a wait event belongs to. */
export function turnKindOf(event: string): TurnKind {
  return kinds.find(({ events }) => events.test(event))?.kind ?? 'other';
}

export function turnMetricName(kind: TurnKind): string {
  return `turn.${kind}`;
}

const prefix = 'waits.sessions.';
const shown = { unit: 's', kind: 'latency', better: 'lower', compared: null } as const;

export const turnMetrics: readonly Metric[] = kinds.map(({ kind, title }) => ({
  ...shown,
  name: turnMetricName(kind),
  label: `time of a transaction: ${title}`,
  source:
    kind === 'client'
      ? 'average sessions that wait for their client / tps; idle ones only where clients are always busy'
      : 'average active sessions in such wait events / tps (Little’s law)',
  derive: (measures) => perTransaction(measures, sessionsIn(measures, kind)),
}));

function sessionsIn(measures: Measures, kind: TurnKind): number | null {
  if ((measures['waits.active'] ?? null) === null) return null;
  let sum = kind === 'client' ? idleSessions(measures) : 0;
  for (const [name, value] of Object.entries(measures)) {
    if (name.startsWith(prefix) && turnKindOf(name.slice(prefix.length)) === kind) sum += value ?? 0;
  }
  return sum;
}

/** With a rate, clients wait for their schedule, and that is no part of a transaction. */
function idleSessions({ 'client.turn': turn = null, 'waits.idle': idle = null }: Measures): number {
  return turn === null ? 0 : (idle ?? 0);
}

function perTransaction({ tps = null }: Measures, sessions: number | null): number | null {
  return sessions === null || tps === null || tps <= 0 ? null : sessions / tps;
}
