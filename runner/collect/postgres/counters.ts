import type { Client } from 'pg';
import type { Collectable } from '../../contract/experiment/schema.ts';
import { checkpointQueries, databaseQuery, walQueries } from './counter-queries.ts';
import type {
  CheckpointActivity,
  DatabaseActivity,
  ServerObservation,
  SizesAtStart,
  WalActivity,
} from './server-observation.ts';

/** The server's counters at one moment. Names of counters are those of ServerObservation's parts. */
export interface CounterSnapshot {
  /** When the server started; another start in between makes every difference meaningless. */
  serverStartedAt: string;
  groups: Partial<Record<CounterGroup, CounterValues>>;
}

export type CounterGroup = 'wal' | 'checkpoints' | 'database';

interface CounterValues {
  /** When the counters were last reset, from every view that is read; null where never. */
  resetAt: string | null;
  values: Record<string, number | null>;
  /** Values that are no counters: taken as they are. */
  gauges: Record<string, number | null>;
}

type Row = Record<string, string | null>;

/** Reads the counters of the groups that are to be collected. `major` is the server's major version, 14 to 18. */
export async function takeSnapshot(
  client: Client,
  major: number,
  collect: readonly Collectable[],
): Promise<CounterSnapshot> {
  const { rows } = await client.query<{ started: string }>('SELECT pg_postmaster_start_time()::text AS started');
  const queries: Record<CounterGroup, string[]> = {
    wal: walQueries(major),
    checkpoints: checkpointQueries(major),
    database: [databaseQuery],
  };
  const groups: CounterSnapshot['groups'] = {};
  for (const group of ['wal', 'checkpoints', 'database'] as const) {
    if (collect.includes(group)) groups[group] = await readGroup(client, queries[group]);
  }
  return { serverStartedAt: rows[0]?.started ?? '', groups };
}

/** What was counted between two snapshots; a group whose counters were reset in between is null, and says so. */
export function differenceOf(before: CounterSnapshot, after: CounterSnapshot): ServerObservation {
  const problems: string[] = [];
  const restarted = before.serverStartedAt !== after.serverStartedAt;
  if (restarted) {
    problems.push(`the server was restarted in between (${after.serverStartedAt}): no counters`);
  }
  function difference(group: CounterGroup): Record<string, number | null> | null {
    const [first, second] = [before.groups[group], after.groups[group]];
    if (!first || !second || restarted) return null;
    if (first.resetAt !== second.resetAt) {
      problems.push(`the counters of ${group} were reset in between (${second.resetAt ?? 'at an unknown time'})`);
      return null;
    }
    const values = Object.entries(second.values).map(([name, value]) => {
      const start = first.values[name];
      return [name, value === null || start === null || start === undefined ? null : value - start] as const;
    });
    const backwards = values.filter(([, value]) => value !== null && value < 0).map(([name]) => name);
    if (backwards.length > 0) {
      problems.push(`counters of ${group} went backwards (${backwards.join(', ')}): reset in between`);
      return null;
    }
    return { ...Object.fromEntries(values), ...second.gauges };
  }
  const start = before.groups.database?.gauges;
  return {
    restarted,
    wal: difference('wal') as WalActivity | null,
    checkpoints: difference('checkpoints') as CheckpointActivity | null,
    database: difference('database') as DatabaseActivity | null,
    ...(start === undefined ? {} : { sizesAtStart: start as unknown as SizesAtStart }),
    problems,
  };
}

/** Columns called reset_... are times of a reset, gauge_... are no counters, all others are counters by their final names. */
async function readGroup(client: Client, queries: readonly string[]): Promise<CounterValues> {
  const resets: string[] = [];
  const values: Record<string, number | null> = {};
  const gauges: Record<string, number | null> = {};
  for (const query of queries) {
    const { rows } = await client.query<Row>(query);
    for (const [name, value] of Object.entries(rows[0] ?? {})) {
      if (name.startsWith('reset_')) resets.push(value ?? '');
      else if (name.startsWith('gauge_')) gauges[name.slice('gauge_'.length)] = value === null ? null : Number(value);
      else values[name] = value === null ? null : Number(value);
    }
  }
  return { resetAt: resets.join(' ') || null, values, gauges };
}
