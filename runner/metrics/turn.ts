import type { Measures, Metric } from '../contract/metric.ts';

/**
 * Where the time of a transaction goes: what sessions wait for, sorted into a few kinds. By Little's law, the sessions that
 * are in a state on average, divided by the transactions per second, are the time that each transaction spends in it. So the
 * parts add up to clients / TPS, and the change of each part says how much of the effect it accounts for.
 *
 * Names of wait events: https://www.postgresql.org/docs/18/monitoring-stats.html#WAIT-EVENT-TABLE (written otherwise before 17,
 * such as WALSync for WalSync).
 */
const kinds = [
  { part: 'wal', label: 'WAL', events: /^(IO|LWLock):Wal/i },
  { part: 'syncRep', label: 'synchronous standbys', events: /^IPC:SyncRep$/i },
  { part: 'locks', label: 'locks of others', events: /^(Lock:|LWLock:LockManager)/i },
  {
    part: 'dataRead',
    label: 'reading data',
    events: /^(IO:DataFile(Read|Prefetch)|LWLock:BufferMapping|IPC:BufferI?O|LWLock:BufferIO)/i,
  },
  { part: 'dataWrite', label: 'writing data', events: /^IO:DataFile/i },
  { part: 'cpu', label: 'processor', events: /^CPU$/ },
  { part: 'other', label: 'anything else', events: /^/ },
] as const;

/** Name of the part of a turn that a wait event belongs to. */
export function turnPartOf(event: string): string {
  return kinds.find(({ events }) => events.test(event))?.part ?? 'other';
}

const prefix = 'waits.sessions.';
const shown = { unit: 's', kind: 'latency', better: 'lower', compared: null } as const;

export const turnMetrics: readonly Metric[] = [
  ...kinds.map(({ part, label }): Metric => ({
    ...shown,
    name: `turn.${part}`,
    label: `time of a transaction: ${label}`,
    source: `average active sessions in such wait events / tps (Little’s law)`,
    derive: (measures) => perTransaction(measures, sessionsIn(measures, part)),
  })),
  {
    ...shown,
    name: 'turn.client',
    label: 'time of a transaction: its client',
    source: 'average sessions that wait for their client / tps, where clients are always busy',
    // With a rate, clients wait for their schedule, and that is no part of a transaction.
    derive: (measures) =>
      (measures['client.turn'] ?? null) === null ? null : perTransaction(measures, measures['waits.idle'] ?? null),
  },
];

function sessionsIn(measures: Measures, part: string): number | null {
  if ((measures['waits.active'] ?? null) === null) return null;
  let sum = 0;
  for (const [name, value] of Object.entries(measures)) {
    if (name.startsWith(prefix) && turnPartOf(name.slice(prefix.length)) === part) sum += value ?? 0;
  }
  return sum;
}

function perTransaction({ tps = null }: Measures, sessions: number | null): number | null {
  return sessions === null || tps === null || tps <= 0 ? null : sessions / tps;
}
