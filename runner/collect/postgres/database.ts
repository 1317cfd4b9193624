import type { Need } from '../collector.ts';
import type { Measures, Metric } from '../../contract/metric.ts';
import { isOn, isUntimed } from '../needs.ts';
import { counterCollector } from './counters.ts';

const shown = { better: 'lower', compared: null, source: 'pg_stat_database, for the measured database' } as const;
const tables = { ...shown, source: 'pg_stat_user_tables' } as const;
const sizes = { ...shown, source: 'pg_database_size and pg_relation_size' } as const;

const metrics: Metric[] = [
  { name: 'database.rollbacks', label: 'rollbacks', unit: '1', kind: 'count', ...shown },
  { name: 'database.deadlocks', label: 'deadlocks', unit: '1', kind: 'count', ...shown },
  { name: 'database.blocksRead', label: 'blocks read', unit: '1', kind: 'count', ...shown, hidden: true },
  { name: 'database.blocksHit', label: 'blocks found', unit: '1', kind: 'count', ...shown, hidden: true },
  {
    name: 'database.cacheHits',
    label: 'blocks found in shared buffers',
    unit: '1',
    kind: 'share',
    ...shown,
    better: 'higher',
    derive: cacheHits,
  },
  { name: 'database.temporaryBytes', label: 'temporary files', unit: 'B', kind: 'bytes', ...shown },
  { name: 'database.readTime', label: 'time of reading blocks', unit: 's', kind: 'duration', ...shown, hidden: true },
  { name: 'database.autovacuums', label: 'tables vacuumed by autovacuum', unit: '1', kind: 'count', ...tables },
  { name: 'database.autoanalyzes', label: 'tables analyzed by autovacuum', unit: '1', kind: 'count', ...tables },
  { name: 'database.size', label: 'database size at the end', unit: 'B', kind: 'bytes', ...sizes },
  { name: 'database.sizeAtStart', label: 'database size', unit: 'B', kind: 'bytes', ...sizes, hidden: true },
  { name: 'history.size', label: 'size of the history', unit: 'B', kind: 'bytes', ...sizes, hidden: true },
  { name: 'history.sizeAtStart', label: 'size of the history', unit: 'B', kind: 'bytes', ...sizes, hidden: true },
];

const needs: Need[] = [
  {
    setting: 'track_counts',
    suffices: isOn,
    gap: 'deadlocks, blocks, temporary files and autovacuum are not counted',
    remedy: 'set it to on',
    metrics: /^database\.(deadlocks|blocksRead|blocksHit|temporaryBytes|autovacuums|autoanalyzes)$/,
    isDenied: isNothingCounted,
  },
  {
    setting: 'track_io_timing',
    suffices: isOn,
    gap: 'reads of blocks are not timed',
    remedy: 'set it to on',
    metrics: /^database\.readTime$/,
    isDenied: (measures) => isUntimed(measures['database.blocksRead'], measures['database.readTime']),
  },
];

export const database = counterCollector({
  name: 'database',
  metrics,
  needs,
  queries: ({ growingTable }) => [databaseQuery(growingTable)],
});

function cacheHits(measures: Measures): number | null {
  const [hit, read] = [measures['database.blocksHit'] ?? null, measures['database.blocksRead'] ?? null];
  return hit === null || read === null || hit + read === 0 ? null : hit / (hit + read);
}

/**
 * Fewer blocks than one for two transactions, and no deadlock or temporary file: either the load touches no table, or its sessions
 * do not count. Zeros then say nothing.
 */
function isNothingCounted(measures: Measures): boolean {
  const { transactions = null, 'database.blocksRead': read = null, 'database.blocksHit': hit = null } = measures;
  if (transactions === null || read === null || hit === null) return false;
  const others = (measures['database.deadlocks'] ?? 0) + (measures['database.temporaryBytes'] ?? 0);
  return others === 0 && read + hit < transactions / 2;
}

function databaseQuery(growingTable: string | null): string {
  const name = `'${growingTable?.replaceAll("'", "''") ?? ''}'`;
  const history = growingTable === null ? 'NULL' : `pg_relation_size(to_regclass(${name}))::text`;
  return `SELECT xact_rollback::text AS "database.rollbacks",
    deadlocks::text AS "database.deadlocks", temp_bytes::text AS "database.temporaryBytes",
    blks_read::text AS "database.blocksRead", blks_hit::text AS "database.blocksHit",
    (blk_read_time / 1000)::text AS "database.readTime",
    stats_reset::text AS reset_database,
    (SELECT sum(autovacuum_count)::text FROM pg_stat_user_tables) AS "database.autovacuums",
    (SELECT sum(autoanalyze_count)::text FROM pg_stat_user_tables) AS "database.autoanalyzes",
    pg_database_size(datid)::text AS "gauge_database.size",
    ${history} AS "gauge_history.size"
    FROM pg_stat_database WHERE datname = current_database()`;
}
