import type { Measures } from '../../contract/metric.ts';
import { hasColumn } from '../../postgres/versions/known.ts';
import { metric } from '../metric.ts';
import { counterCollector, type CountedRow } from './counters.ts';

const source = 'pg_stat_bgwriter; from PostgreSQL 17 on pg_stat_checkpointer';

const metrics = [
  metric('count', 'checkpoints.timed', 'checkpoints, timed', { source }),
  metric('count', 'checkpoints.requested', 'checkpoints, requested', { source }),
  metric('count', 'checkpoints.count', 'checkpoints', { source, hidden: true, derive: countOf }),
  metric('seconds', 'checkpoints.writeTime', 'checkpoint write time', { source }),
  metric('seconds', 'checkpoints.syncTime', 'checkpoint sync time', { source }),
  metric('count', 'checkpoints.buffers', 'buffers written by checkpoints', { source }),
  metric('count', 'backends.buffers', 'buffers written by backends', { source }),
  metric('count', 'backgroundWriter.buffers', 'buffers written by background writer', { source }),
];

/** From version 17 on, checkpoints have their own view, and buffers of backends are counted with their other I/O. */
export const checkpoints = counterCollector({
  name: 'checkpoints',
  metrics,
  rows: ({ major }): CountedRow[] =>
    hasColumn(major, 'pg_stat_bgwriter', 'checkpoints_timed')
      ? [
          {
            from: 'pg_stat_bgwriter',
            counters: {
              'checkpoints.timed': 'checkpoints_timed',
              'checkpoints.requested': 'checkpoints_req',
              'checkpoints.writeTime': 'checkpoint_write_time / 1000',
              'checkpoints.syncTime': 'checkpoint_sync_time / 1000',
              'checkpoints.buffers': 'buffers_checkpoint',
              'backends.buffers': 'buffers_backend',
              'backgroundWriter.buffers': 'buffers_clean',
            },
          },
        ]
      : [
          {
            from: 'pg_stat_checkpointer',
            counters: {
              'checkpoints.timed': 'num_timed',
              'checkpoints.requested': 'num_requested',
              'checkpoints.writeTime': 'write_time / 1000',
              'checkpoints.syncTime': 'sync_time / 1000',
              'checkpoints.buffers': 'buffers_written',
            },
          },
          { from: 'pg_stat_bgwriter', counters: { 'backgroundWriter.buffers': 'buffers_clean' } },
          {
            from: `pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation' AND context = 'normal'`,
            counters: { 'backends.buffers': 'sum(writes)' },
            reset: 'max(stats_reset)',
          },
        ],
});

function countOf(measures: Measures): number | null {
  const [timed, requested] = [measures['checkpoints.timed'] ?? null, measures['checkpoints.requested'] ?? null];
  return timed === null || requested === null ? null : timed + requested;
}
