import type { Measures, Metric } from '../../contract/metric.ts';
import { hasColumn } from '../../postgres/versions/known.ts';
import { counterCollector } from './counters.ts';

const source = 'pg_stat_bgwriter; from PostgreSQL 17 on pg_stat_checkpointer';
const shown = { better: 'lower', compared: null, source } as const;

const metrics: Metric[] = [
  { name: 'checkpoints.timed', label: 'checkpoints, timed', unit: '1', kind: 'count', ...shown },
  { name: 'checkpoints.requested', label: 'checkpoints, requested', unit: '1', kind: 'count', ...shown },
  {
    name: 'checkpoints.count',
    label: 'checkpoints',
    unit: '1',
    kind: 'count',
    ...shown,
    hidden: true,
    derive: countOf,
  },
  { name: 'checkpoints.writeTime', label: 'checkpoint write time', unit: 's', kind: 'duration', ...shown },
  { name: 'checkpoints.syncTime', label: 'checkpoint sync time', unit: 's', kind: 'duration', ...shown },
  { name: 'checkpoints.buffers', label: 'buffers written by checkpoints', unit: '1', kind: 'count', ...shown },
  { name: 'backends.buffers', label: 'buffers written by backends', unit: '1', kind: 'count', ...shown },
  {
    name: 'backgroundWriter.buffers',
    label: 'buffers written by background writer',
    unit: '1',
    kind: 'count',
    ...shown,
  },
];

export const checkpoints = counterCollector({
  name: 'checkpoints',
  metrics,
  queries: ({ major }) => checkpointQueries(major),
});

function countOf(measures: Measures): number | null {
  const [timed, requested] = [measures['checkpoints.timed'] ?? null, measures['checkpoints.requested'] ?? null];
  return timed === null || requested === null ? null : timed + requested;
}

/**
 * Queries for a major version. They convert milliseconds to seconds. From version 17 on, checkpoints have their own
 * view.
 */
function checkpointQueries(major: number): string[] {
  if (hasColumn(major, 'pg_stat_bgwriter', 'checkpoints_timed')) {
    return [
      `SELECT checkpoints_timed::text AS "checkpoints.timed", checkpoints_req::text AS "checkpoints.requested",
        (checkpoint_write_time / 1000)::text AS "checkpoints.writeTime",
        (checkpoint_sync_time / 1000)::text AS "checkpoints.syncTime",
        buffers_checkpoint::text AS "checkpoints.buffers", buffers_backend::text AS "backends.buffers",
        buffers_clean::text AS "backgroundWriter.buffers", stats_reset::text AS reset_background_writer
        FROM pg_stat_bgwriter`,
    ];
  }
  return [
    `SELECT num_timed::text AS "checkpoints.timed", num_requested::text AS "checkpoints.requested",
      (write_time / 1000)::text AS "checkpoints.writeTime", (sync_time / 1000)::text AS "checkpoints.syncTime",
      buffers_written::text AS "checkpoints.buffers", stats_reset::text AS reset_checkpointer
      FROM pg_stat_checkpointer`,
    `SELECT buffers_clean::text AS "backgroundWriter.buffers", stats_reset::text AS reset_background_writer
      FROM pg_stat_bgwriter`,
    `SELECT sum(writes)::text AS "backends.buffers", max(stats_reset)::text AS reset_io
      FROM pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation' AND context = 'normal'`,
  ];
}
