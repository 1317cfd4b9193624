import type { Client } from '../../postgres/client.ts';
import { memberName, type MembersTable, type Metric, type SeriesRow } from '../../contract/metric.ts';
import type { Standby } from '../../contract/server-facts.ts';
import { withConnection } from '../../postgres/connect.ts';
import { outsideLoad } from '../../postgres/target.ts';
import { withoutRole } from '../../postgres/predefined-roles.ts';
import { emptyCollection } from '../absent.ts';
import { type Collection, type Collector, type Findings, secondOf } from '../collector.ts';
import { type Amount, metric } from '../metric.ts';
import { type Sampled, sampleServer } from '../sampler.ts';

const source = 'pg_stat_replication, every second: mean over the trial, by the standby’s application_name';
/** A family for each kind of lag. */
const families = {
  writeLag: family('seconds', 'writeLag', 'until <standby> had written WAL', 'until WAL was written'),
  flushLag: family('seconds', 'flushLag', 'until <standby> had flushed WAL', 'until WAL was flushed'),
  replayLag: family('seconds', 'replayLag', 'until <standby> had replayed WAL', 'until WAL was replayed'),
  sentLagBytes: family('bytes', 'sentLagBytes', 'WAL not yet sent to <standby>', 'WAL not yet sent'),
  flushLagBytes: family('bytes', 'flushLagBytes', 'WAL not yet flushed by <standby>', 'WAL not yet flushed'),
  replayLagBytes: family('bytes', 'replayLagBytes', 'WAL not yet replayed by <standby>', 'WAL not yet replayed'),
};
const names = Object.keys(families) as (keyof typeof families)[];

function family(amount: Amount, name: string, label: string, column: string): Metric {
  return metric(amount, `replication.<standby>.${name}`, label, { source, column });
}

const table: MembersTable = {
  id: 'replication',
  title: 'Replication',
  what: 'standby',
  placeholder: '<standby>',
  notes: ['From samples of pg_stat_replication. A lag is zero if there was nothing to wait for.'],
};

/** A row of the view. A lag is null if our role may not see it, or if there was nothing to wait for. */
export type StandbyRow = Standby & Record<keyof typeof families, number | null>;

/** How far behind the standbys are, sampled over a separate connection. */
export const replication: Collector = {
  name: 'replication',
  optional: true,
  metrics: Object.values(families),
  tables: [table],
  async start({ target, signal }): Promise<Collection> {
    const reason = await withConnection(
      outsideLoad(target),
      async (client) => reasonOfAbsence(await lookAt(client)),
      signal,
    );
    if (reason !== null) return emptyCollection(replication.name, reason);
    const sampler = await sampleServer(target, 1, lookAt);
    return {
      async stop({ startedAt }) {
        return findingsOf(await sampler.stop({ last: true }), startedAt);
      },
      abandon: () => sampler.abandon(),
    };
  },
};

/** A base backup, which copies the data folder, is not a standby. */
const query = {
  name: 'standbys',
  text: `SELECT application_name AS name, state, sync_state AS "syncState",
    extract(epoch FROM write_lag)::float8 AS "writeLag", extract(epoch FROM flush_lag)::float8 AS "flushLag",
    extract(epoch FROM replay_lag)::float8 AS "replayLag",
    pg_wal_lsn_diff(pg_current_wal_lsn(), sent_lsn)::float8 AS "sentLagBytes",
    pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::float8 AS "flushLagBytes",
    pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 AS "replayLagBytes"
  FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup' ORDER BY application_name, pid`,
};

async function lookAt(client: Client): Promise<StandbyRow[]> {
  return withNamesOfTheirOwn((await client.query<StandbyRow>(query)).rows);
}

/**
 * Several standbys may have the same name, such as the usual walreceiver. From the second on, a number follows the
 * name.
 */
export function withNamesOfTheirOwn(rows: readonly StandbyRow[]): StandbyRow[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const number = (counts.get(row.name) ?? 0) + 1;
    counts.set(row.name, number);
    return number === 1 ? row : { ...row, name: `${row.name} ${number}` };
  });
}

export function reasonOfAbsence(rows: readonly StandbyRow[]): string | null {
  if (rows.length === 0) return 'no standby is connected';
  // The state is null if the role may not see it.
  return rows.every(({ state }) => state === null) ? withoutRole('pg_monitor') : null;
}

export function findingsOf({ samples, failure }: Sampled<StandbyRow[]>, startedAt: Date): Findings {
  const warnings = failure ? [`Monitoring of the standbys stopped early: ${failure.message}`] : [];
  const inTrial = samples.filter(({ at }) => at >= startedAt.getTime());
  const values = new Map<string, number[]>();
  const series: SeriesRow[] = [];
  for (const { at, value } of inTrial) {
    for (const row of value) {
      for (const lag of names) {
        // The view has no lag if all WAL is replayed and none is being written: then there is nothing to wait for.
        const found = row[lag] ?? (row.state === null ? null : 0);
        if (found === null) continue;
        const name = memberName(families[lag], row.name);
        values.set(name, [...(values.get(name) ?? []), found]);
        series.push({ second: secondOf(at, startedAt), name, value: found });
      }
    }
  }
  const all = new Map(samples.flatMap(({ value }) => value).map((row) => [row.name, row]));
  return {
    measures: Object.fromEntries(
      [...values].map(([name, found]) => [name, found.reduce((sum, one) => sum + one, 0) / found.length]),
    ),
    series,
    facts: { standbys: [...all.values()].map(({ name, state, syncState }) => ({ name, state, syncState })) },
    warnings,
  };
}
