import type { Client } from '../../postgres/client.ts';
import type { Metric } from '../../contract/metric.ts';
import { absent, reasonOfRefusal } from '../absent.ts';
import type { Collector, Findings, Need } from '../collector.ts';

/** The counters of one group at one moment, by metric name. */
export interface CounterSnapshot {
  /** When the server started. If it restarted in between, differences mean nothing. */
  serverStartedAt: string;
  /** When the counters were last reset, for every view that is read; null if never. */
  resetAt: string | null;
  values: Record<string, number | null>;
  /** Values that are not counters. They are used as they are. */
  gauges: Record<string, number | null>;
  /** Why a view has no values; absent if all have. */
  gaps?: readonly string[];
}

/** A row that the server has: SQL of its columns, by the names of their metrics. */
export interface CountedRow {
  /** View, with a condition if it has several rows. */
  from: string;
  counters: Readonly<Record<string, string>>;
  /** @default none */
  gauges?: Readonly<Record<string, string>>;
  /** When they were last reset. @default stats_reset */
  reset?: string;
}

/**
 * Makes a collector of the server's counters. It returns their differences over a trial. For a gauge, it returns the
 * value at the end, and the value at the start as `nameAtStart`.
 */
export function counterCollector(group: {
  name: string;
  metrics: readonly Metric[];
  needs?: readonly Need[];
  rows: (server: { major: number; growingTable: string | null }) => readonly CountedRow[];
}): Collector {
  const { name, metrics, needs } = group;
  return {
    name,
    optional: true,
    metrics,
    ...(needs && { needs }),
    async start({ database, serverMajor, growingTable }) {
      const rows = group.rows({ major: serverMajor, growingTable });
      const before = await database((client) => takeSnapshot(client, rows));
      return {
        async stop() {
          return differenceOf(name, before, await database((client) => takeSnapshot(client, rows)));
        },
      };
    },
  };
}

/** When the server started. After a failover, another server answers to the same name. */
export async function serverStartOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ started: string }>('SELECT pg_postmaster_start_time()::text AS started');
  return rows[0]?.started ?? '';
}

export async function takeSnapshot(client: Client, rows: readonly CountedRow[]): Promise<CounterSnapshot> {
  const serverStartedAt = await serverStartOf(client);
  const resets: string[] = [];
  const values: CounterSnapshot['values'] = {};
  const gauges: CounterSnapshot['gauges'] = {};
  const gaps: string[] = [];
  for (const { from, counters, gauges: sizes = {}, reset = 'stats_reset' } of rows) {
    const columns = Object.values({ ...counters, ...sizes, reset });
    // All as text, so that the pg library does not guess the type of 64-bit counters.
    const text = `SELECT ${columns.map((sql) => `(${sql})::text`).join(', ')} FROM ${from}`;
    const view = from.split(' ')[0] ?? from;
    let texts: (string | null)[] = [];
    try {
      const { rows: found } = await client.query<(string | null)[]>({ text, rowMode: 'array' });
      if (found[0]) texts = found[0];
      else gaps.push(`${view} is empty`);
    } catch (error) {
      // Of a managed server, another view may still answer.
      gaps.push(`${view}: ${reasonOfRefusal(error)}`);
    }
    const numbers = texts.map((text) => (text === null ? null : Number(text)));
    const names = Object.keys(counters);
    names.forEach((name, index) => (values[name] = numbers[index] ?? null));
    Object.keys(sizes).forEach((name, index) => (gauges[name] = numbers[names.length + index] ?? null));
    resets.push(texts.at(-1) ?? '');
  }
  return {
    serverStartedAt,
    resetAt: resets.join(' ').trim() || null,
    values,
    gauges,
    ...(gaps.length > 0 && { gaps }),
  };
}

/**
 * What was counted between two snapshots. If the counters were reset in between, only the reason why there are no
 * values.
 */
export function differenceOf(group: string, before: CounterSnapshot, after: CounterSnapshot): Findings {
  const nothing = (problem: string): Findings => ({ facts: { counterProblems: [problem] } });
  if (before.serverStartedAt !== after.serverStartedAt) {
    return nothing(`the server was restarted during the trial (${after.serverStartedAt}): no counters of ${group}`);
  }
  if (before.resetAt !== after.resetAt) {
    return nothing(`the counters of ${group} were reset during the trial (${after.resetAt ?? 'at an unknown time'})`);
  }
  const values = Object.entries(after.values).map(([name, value]) => {
    const start = before.values[name] ?? null;
    return [name, value === null || start === null ? null : value - start] as const;
  });
  const backwards = values.filter(([, value]) => value !== null && value < 0).map(([name]) => name);
  if (backwards.length > 0) {
    return nothing(`counters of ${group} went backwards (${backwards.join(', ')}): they were reset during the trial`);
  }
  const starts = Object.entries(before.gauges).map(([name, value]) => [`${name}AtStart`, value] as const);
  return {
    measures: { ...Object.fromEntries([...values, ...starts]), ...after.gauges },
    ...(after.gaps && absent(group, after.gaps.join('; '))),
  };
}
