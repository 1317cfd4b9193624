import type { Measures, Metric } from '../contract/metric.ts';

/**
 * Where the time of a transaction goes: what sessions wait for, sorted into kinds. By Little's law, the average number
 * of sessions in a state, divided by the transactions per second, is the time that each transaction spends in that
 * state. So the kinds add up to clients / TPS, and the change of each kind is its part of a difference. An invariant
 * checks in every trial that as many sessions were sampled as the load has clients
 * (analysis/validity/invariant/transaction-time.ts); what little is left is shared out, so the sum is exact.
 *
 * Only sessions count. A parallel worker adds none of its time to that of a transaction: meanwhile its leader works,
 * too, or waits for it.
 *
 * An event belongs only to the first kind whose pattern it matches. Waits for the flush of WAL and waits to insert into
 * it are separate kinds: they have different causes, and one may grow while the other shrinks.
 *
 * Names of wait events are those of the newest version that has them (collect/wait-event-names.ts).
 */
const kinds = [
  {
    kind: 'walFlush',
    short: 'WAL flush',
    title: 'waits for WAL write and flush',
    events: /^(IO:Wal(Sync|Write)|LWLock:WALWrite|Timeout:CommitDelay|IPC:WaitForWal(Flush|Write))$/,
  },
  {
    kind: 'walInsert',
    short: 'WAL insert',
    title: 'waits to insert into WAL buffers',
    events: /^LWLock:WAL(Insert|BufMapping)$/,
  },
  {
    kind: 'walFiles',
    short: 'WAL files',
    title: 'waits for other WAL file operations',
    events: /^(IO:Wal|LWLock:WAL)/,
  },
  { kind: 'syncRep', short: 'standby', title: 'waits for synchronous standbys', events: /^IPC:SyncRep$/ },
  // A lock on the end of a table is held while a file grows.
  { kind: 'locks', short: 'locks', title: 'waits for locks held by other transactions', events: /^Lock:(?!extend$)/ },
  {
    kind: 'dataRead',
    short: 'data read',
    title: 'waits to read data',
    events: /^(IO:(DataFile(Read|Prefetch)|Aio\w+)|LWLock:(BufferMapping|Aio\w+)|IPC:BufferIo)$/,
  },
  { kind: 'dataWrite', short: 'data write', title: 'waits to write data', events: /^(IO:DataFile|Lock:extend$)/ },
  { kind: 'temporaryFiles', short: 'temporary files', title: 'waits for temporary files', events: /^IO:Buffile/ },
  {
    kind: 'parallel',
    short: 'parallel workers',
    title: 'waits for its parallel workers',
    events:
      /^(IPC:(ExecuteGather|ParallelFinish|Bgworker(Startup|Shutdown)|MessageQueue\w+|Hash\w+|ParallelBitmapScan|ParallelCreateIndexScan)|LWLock:(Parallel\w+|SharedTidBitmap|SharedTupleStore))$/,
  },
  {
    kind: 'internalLocks',
    short: 'internal locks',
    title: 'waits for internal server locks',
    events: /^(LWLock|Buffer):/,
  },
  { kind: 'sleep', short: 'sleep', title: 'sleeps', events: /^Timeout:(PgSleep|VacuumDelay|VacuumTruncate)$/ },
  // Follows from the processor time of the server: see `asleepIn`.
  {
    kind: 'asleep',
    short: 'no event',
    title: 'neither works nor waits for anything that the server names',
    events: /(?!)/,
  },
  { kind: 'cpu', short: 'CPU', title: 'runs on or waits for a CPU', events: /^CPU$/ },
  // No session waits for it: there is none yet.
  { kind: 'connecting', short: 'connecting', title: 'waits for a new connection', events: /(?!)/ },
  // Includes sessions that still seem to be active: their state changes a moment after their wait event.
  { kind: 'client', short: 'client', title: 'waits for its client', events: /^Client:/ },
  { kind: 'other', short: 'other', title: 'waits for something else', events: /^/ },
] as const;

export type TimeKind = (typeof kinds)[number]['kind'];

/**
 * All kinds of time, in the order in which pictures stack them. `title` says in words what the session of a transaction
 * does in it, beginning with a verb; `short` is its name in a picture.
 */
export const timeKinds: readonly { kind: TimeKind; short: string; title: string }[] = kinds;

/** The kind of time that a wait event belongs to. */
export function timeKindOf(event: string): TimeKind {
  return kinds.find(({ events }) => events.test(event))?.kind ?? 'other';
}

export function timeMetricName(kind: TimeKind): string {
  return `turn.${kind}`;
}

const prefix = 'waits.sessions.';
const shown = { unit: 's', kind: 'latency', better: 'lower', compared: null } as const;

const sources: Partial<Record<TimeKind, string>> = {
  client:
    'as the others, with idle sessions; with a rate, without them: they wait for their schedule; with reconnect or a pooler, the rest of client.turn',
  connecting: 'latency.connection, including that of failed transactions',
};

export const timeMetrics: readonly Metric[] = kinds.map(({ kind, title }) => ({
  ...shown,
  name: timeMetricName(kind),
  label: `transaction time: ${title}`,
  source:
    sources[kind] ??
    'share of the sessions in such wait events × client.turn (Little’s law); where that is unknown, or with reconnect or a pooler: such sessions / tps',
  derive: (measures) => timeIn(measures, kind),
}));

function timeIn(measures: Measures, kind: TimeKind): number | null {
  const { tps = null, 'waits.active': active = null, 'client.turn': turn = null } = measures;
  if (active === null || tps === null || tps <= 0) return null;
  const connecting = timeToConnect(measures);
  if (kind === 'connecting') return connecting ?? 0;
  const inKind = sessionsIn(measures, kind);
  const isPooled = typeof measures['pooler.size'] === 'number';
  if ((connecting !== null || isPooled) && turn !== null) {
    // A session that is not ready yet, or about to end, looks as if it waited for its client, and no session shows that a
    // client waits for a pooler. So this time follows from the turn.
    return kind === 'client' ? Math.max(0, turn - (connecting ?? 0) - (active - inKind) / tps) : inKind / tps;
  }
  // With a rate, clients wait for their schedule, and that is no part of a transaction.
  if (turn === null) return inKind / tps;
  const idle = measures['waits.idle'] ?? 0;
  const all = active + idle;
  const unseen = unseenWork(measures);
  const moved = { client: idle - unseen, cpu: unseen } as Partial<Record<TimeKind, number>>;
  return all > 0 ? ((inKind + (moved[kind] ?? 0)) / all) * turn : null;
}

/**
 * Sessions that were sampled as idle, but worked. The session that samples may have to wait for a processor until another
 * one waits for its client, so it sees such waits too often. However the samples fell, at least as many sessions worked
 * as their processes kept processors busy.
 */
function unseenWork(measures: Measures): number {
  const {
    'server.sessions': working = null,
    'waits.active': active = null,
    'waits.workers': workers,
    'waits.idle': idle,
    'waits.vacuums': vacuums,
  } = measures;
  // What ended with the load may then also be a worker of autovacuum.
  if (working === null || active === null || (vacuums ?? 0) > 0) return 0;
  return Math.min(idle ?? 0, Math.max(0, working - active - (workers ?? 0)));
}

/** Below this share of the sessions without a wait event, a difference may be that of two clocks. */
const clearShare = 0.2;

/**
 * Sessions that have no wait event, though the server's processes do not use that many processors, such as those that sleep for
 * commit_delay. A session that waits for a processor has no event either. Where each process waits for its turn on one
 * processor as busy as the machine, there are P / (1 - busy) of them: more cannot be work, or waiting for it.
 */
function asleepIn(measures: Measures): number {
  const { 'server.processors': used = null, 'driver.busy': own = null, 'driver.steal': stolen } = measures;
  // A processor that the host has given away is as little free as a busy one.
  const busy = own === null ? 1 : own + (stolen ?? 0);
  if (used === null || busy >= 1) return 0;
  const without = sessionsByEvents(measures, 'cpu');
  const asleep = without - used / (1 - busy);
  return asleep > clearShare * without ? asleep : 0;
}

function sessionsIn(measures: Measures, kind: TimeKind): number {
  if (kind === 'asleep') return asleepIn(measures);
  return sessionsByEvents(measures, kind) - (kind === 'cpu' ? asleepIn(measures) : 0);
}

function sessionsByEvents(measures: Measures, kind: TimeKind): number {
  return Object.entries(measures).reduce(
    (sum, [name, value]) =>
      name.startsWith(prefix) && timeKindOf(name.slice(prefix.length)) === kind ? sum + (value ?? 0) : sum,
    0,
  );
}

/** Per transaction that was carried out; null if the clients stay connected. Failed transactions connected, too. */
function timeToConnect(measures: Measures): number | null {
  const { transactions = null, 'transactions.failed': failed, 'latency.connection': connecting = null } = measures;
  if (connecting === null) return null;
  return connecting * (1 + (transactions ? (failed ?? 0) / transactions : 0));
}
