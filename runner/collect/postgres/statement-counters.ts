import type { Client } from '../../postgres/client.ts';
import type { Statement } from '../../contract/server-facts.ts';

/** Counters of one statement, over all users. Times are seconds. */
export type StatementCounters = Omit<Statement, 'text' | 'meanTime'>;

/** Their times for compiling, which are a part of their total time; null in versions that do not count them. */
const timesOfJit = ['generation', 'inlining', 'optimization', 'emission']
  .map((step) => `(to_jsonb(s)->>'jit_${step}_time')::float8`)
  .join(' + ');

/** With `track: all`, statements within functions have rows, too. Without, nobody knows what was compiled for them. */
const isSentByLoad = `coalesce((to_jsonb(s)->>'toplevel')::boolean, true)`;

export async function lookAt(client: Client, schema: string, database: string): Promise<StatementCounters[]> {
  // Without the texts, which the server would read from a file.
  const { rows } = await client.query<Omit<StatementCounters, 'jitTime'> & { jitTime: number | null }>(
    `SELECT queryid::text AS "queryId", sum(calls)::float8 AS calls, sum(total_exec_time)::float8 / 1000 AS "totalTime",
        sum(rows)::float8 AS rows, sum(shared_blks_read)::float8 AS "blocksRead",
        sum(shared_blks_dirtied)::float8 AS "blocksDirtied", sum(wal_bytes)::float8 AS "walBytes",
        sum(CASE WHEN ${isSentByLoad} THEN ${timesOfJit} ELSE 0 END) / 1000 AS "jitTime"
      FROM ${schema}.pg_stat_statements(false) AS s
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND queryid IS NOT NULL
      GROUP BY queryid`,
    [database],
  );
  return rows.map(({ jitTime, ...row }) => ({ ...row, ...(jitTime !== null && { jitTime }) }));
}

/** How often the extension has forgotten statements, since it holds no more of them; null if its version does not say. */
export async function droppedBy(client: Client, schema: string): Promise<string | null> {
  const view = `${schema}.pg_stat_statements_info`;
  // By the name of its column, it is known as ours (statement-texts.ts) where it is counted itself.
  const { rows } = await client.query<{ pg_stat_statements_info: string | null }>(
    'SELECT to_regclass($1)::text AS pg_stat_statements_info',
    [view],
  );
  if ((rows[0]?.pg_stat_statements_info ?? null) === null) return null;
  return (await client.query<{ dealloc: string }>(`SELECT dealloc::text FROM ${view}`)).rows[0]?.dealloc ?? null;
}

/** Enough that some remain after those whose text is not shown have been removed. */
const maxWithText = 50;

/** The statements that ran in between, the costliest first; or a reason if the counters were reset. */
export function costliestBetween(
  before: readonly StatementCounters[],
  after: readonly StatementCounters[],
): StatementCounters[] | string {
  const earlier = new Map(before.map((one) => [one.queryId, one]));
  const ran: StatementCounters[] = [];
  for (const one of after) {
    const start = earlier.get(one.queryId);
    if (start && one.calls < start.calls) return 'the counters of pg_stat_statements were reset during the trial';
    const grown = (name: Exclude<keyof StatementCounters, 'queryId'>): number =>
      (one[name] ?? 0) - (start?.[name] ?? 0);
    if (grown('calls') === 0) continue;
    ran.push({
      queryId: one.queryId,
      calls: grown('calls'),
      totalTime: grown('totalTime'),
      rows: grown('rows'),
      blocksRead: grown('blocksRead'),
      blocksDirtied: grown('blocksDirtied'),
      walBytes: grown('walBytes'),
      ...(one.jitTime !== undefined && { jitTime: grown('jitTime') }),
    });
  }
  return ran.sort((a, b) => b.totalTime - a.totalTime).slice(0, maxWithText);
}
