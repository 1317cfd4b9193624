import type { Need } from '../collector.ts';
import type { Measures } from '../../contract/metric.ts';
import { metric } from '../metric.ts';
import { isOn, isUntimed } from '../needs.ts';
import { counterCollector } from './counters.ts';

const source = 'pg_stat_database, for the measured database';
const hidden = { source, hidden: true } as const;
const tables = { source: 'pg_stat_user_tables' } as const;
const sizes = { source: 'pg_database_size and pg_relation_size' } as const;

const metrics = [
  metric('count', 'database.rollbacks', 'rollbacks', { source }),
  metric('count', 'database.deadlocks', 'deadlocks', { source }),
  metric('count', 'database.blocksRead', 'blocks read', hidden),
  metric('count', 'database.blocksHit', 'blocks found', hidden),
  metric('share', 'database.cacheHits', 'shared-buffers hit ratio', {
    source,
    better: 'higher',
    derive: cacheHits,
  }),
  metric('bytes', 'database.temporaryBytes', 'temporary files', { source }),
  metric('seconds', 'database.readTime', 'time of reading blocks', hidden),
  metric('count', 'database.autovacuums', 'tables vacuumed by autovacuum', tables),
  metric('count', 'database.autoanalyzes', 'tables analyzed by autovacuum', tables),
  metric('bytes', 'database.size', 'database size at the end', sizes),
  metric('bytes', 'database.sizeAtStart', 'database size', { ...sizes, hidden: true }),
  metric('bytes', 'history.size', 'size of the history', { ...sizes, hidden: true }),
  metric('bytes', 'history.sizeAtStart', 'size of the history', { ...sizes, hidden: true }),
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
  rows: ({ growingTable }) => [
    {
      from: 'pg_stat_database WHERE datname = current_database()',
      counters: {
        'database.rollbacks': 'xact_rollback',
        'database.deadlocks': 'deadlocks',
        'database.temporaryBytes': 'temp_bytes',
        'database.blocksRead': 'blks_read',
        'database.blocksHit': 'blks_hit',
        'database.readTime': 'blk_read_time / 1000',
        'database.autovacuums': 'SELECT sum(autovacuum_count) FROM pg_stat_user_tables',
        'database.autoanalyzes': 'SELECT sum(autoanalyze_count) FROM pg_stat_user_tables',
      },
      gauges: { 'database.size': 'pg_database_size(datid)', 'history.size': sizeOf(growingTable) },
    },
  ],
});

function sizeOf(table: string | null): string {
  return table === null ? 'NULL' : `pg_relation_size(to_regclass('${table.replaceAll("'", "''")}'))`;
}

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
