/**
 * One row each; aliases are the field names of ServerObservation. Times come in milliseconds and leave in seconds. All
 * as text, so that 64-bit counters reach us without the driver's guess at their type.
 */

/** The times are zero, not absent, where timing is off: they are given only where it is on. */
const walTiming = (column: string): string =>
  `CASE WHEN current_setting('track_wal_io_timing')::boolean THEN (${column} / 1000)::text END`;

/** WAL is counted in pg_stat_wal from 14 on; writes, syncs and their times moved to pg_stat_io in 18. */
export function walQueries(major: number): string[] {
  const counted = `wal_records::text AS "records", wal_fpi::text AS "fullPageImages", wal_bytes::text AS "bytes",
    wal_buffers_full::text AS "buffersFull", stats_reset::text AS reset_wal`;
  if (major < 18) {
    return [
      `SELECT ${counted}, wal_write::text AS "writes", wal_sync::text AS "syncs",
        ${walTiming('wal_write_time')} AS "writeSeconds", ${walTiming('wal_sync_time')} AS "syncSeconds"
        FROM pg_stat_wal`,
    ];
  }
  return [
    `SELECT ${counted} FROM pg_stat_wal`,
    `SELECT sum(writes)::text AS "writes", sum(fsyncs)::text AS "syncs",
      ${walTiming('sum(write_time)')} AS "writeSeconds", ${walTiming('sum(fsync_time)')} AS "syncSeconds",
      max(stats_reset)::text AS reset_io
      FROM pg_stat_io WHERE object = 'wal'`,
  ];
}

/** Checkpoints have a view of their own from 17 on. */
export function checkpointQueries(major: number): string[] {
  if (major < 17) {
    return [
      `SELECT checkpoints_timed::text AS "timed", checkpoints_req::text AS "requested",
        (checkpoint_write_time / 1000)::text AS "writeSeconds", (checkpoint_sync_time / 1000)::text AS "syncSeconds",
        buffers_checkpoint::text AS "buffersWritten", buffers_backend::text AS "buffersWrittenByBackends",
        buffers_clean::text AS "buffersWrittenByBackgroundWriter", stats_reset::text AS reset_background_writer
        FROM pg_stat_bgwriter`,
    ];
  }
  return [
    `SELECT num_timed::text AS "timed", num_requested::text AS "requested",
      (write_time / 1000)::text AS "writeSeconds", (sync_time / 1000)::text AS "syncSeconds",
      buffers_written::text AS "buffersWritten", stats_reset::text AS reset_checkpointer
      FROM pg_stat_checkpointer`,
    `SELECT buffers_clean::text AS "buffersWrittenByBackgroundWriter", stats_reset::text AS reset_background_writer
      FROM pg_stat_bgwriter`,
    `SELECT sum(writes)::text AS "buffersWrittenByBackends", max(stats_reset)::text AS reset_io
      FROM pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation' AND context = 'normal'`,
  ];
}

export const databaseQuery = `SELECT xact_commit::text AS "commits", xact_rollback::text AS "rollbacks",
  deadlocks::text AS "deadlocks", temp_bytes::text AS "temporaryBytes", blks_read::text AS "blocksRead",
  blks_hit::text AS "blocksHit", stats_reset::text AS reset_database,
  (SELECT sum(autovacuum_count)::text FROM pg_stat_user_tables) AS "autovacuums",
  (SELECT sum(autoanalyze_count)::text FROM pg_stat_user_tables) AS "autoanalyzes",
  pg_database_size(datid)::text AS "gauge_sizeBytes",
  pg_relation_size(to_regclass('pgbench_history'))::text AS "gauge_historyBytes"
  FROM pg_stat_database WHERE datname = current_database()`;
