import type { Client } from 'pg';
import type { Metric } from '../../contract/metric.ts';
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
}

/**
 * Makes a collector of the server's counters. It returns their differences over a trial. For a gauge, it returns the
 * value at the end, and the value at the start as `nameAtStart`.
 *
 * In the queries, columns called `reset_...` are times of a reset, and columns called `gauge_...` are gauges. All
 * others are counters, named after their metrics. All columns are text, so that the pg library does not guess the type
 * of 64-bit counters.
 */
export function counterCollector(group: {
  name: string;
  metrics: readonly Metric[];
  needs?: readonly Need[];
  /** Queries that return one row each. */
  queries: (server: { major: number; growingTable: string | null }) => string[];
}): Collector {
  const { name, metrics, needs } = group;
  return {
    name,
    optional: true,
    metrics,
    ...(needs && { needs }),
    async start({ database, serverMajor, growingTable }) {
      const queries = group.queries({ major: serverMajor, growingTable });
      const before = await database((client) => takeSnapshot(client, queries));
      return {
        async stop() {
          return differenceOf(name, before, await database((client) => takeSnapshot(client, queries)));
        },
      };
    },
  };
}

type Row = Record<string, string | null>;

export async function takeSnapshot(client: Client, queries: readonly string[]): Promise<CounterSnapshot> {
  const { rows } = await client.query<{ started: string }>('SELECT pg_postmaster_start_time()::text AS started');
  const resets: string[] = [];
  const values: CounterSnapshot['values'] = {};
  const gauges: CounterSnapshot['gauges'] = {};
  for (const query of queries) {
    const found = await client.query<Row>(query);
    for (const [column, text] of Object.entries(found.rows[0] ?? {})) {
      const value = text === null ? null : Number(text);
      if (column.startsWith('reset_')) resets.push(text ?? '');
      else if (column.startsWith('gauge_')) gauges[column.slice('gauge_'.length)] = value;
      else values[column] = value;
    }
  }
  return { serverStartedAt: rows[0]?.started ?? '', resetAt: resets.join(' ') || null, values, gauges };
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
  return { measures: { ...Object.fromEntries([...values, ...starts]), ...after.gauges } };
}
