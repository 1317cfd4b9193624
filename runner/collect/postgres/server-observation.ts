/** What the server counted during one trial: differences between a snapshot before and one after it. */
export interface ServerObservation {
  /** Whether the server started anew, or another one took over, in between; absent in results of before it was recorded. */
  restarted?: boolean;
  wal: WalActivity | null;
  checkpoints: CheckpointActivity | null;
  database: DatabaseActivity | null;
  /** Absent where the database is not observed. */
  sizesAtStart?: SizesAtStart;
  /** Why a part is null or not to be trusted: counters reset, server restarted, no permission. */
  problems: string[];
}

/** From pg_stat_wal (14 to 17) or pg_stat_wal and pg_stat_io (18). null where this server does not count it. */
export interface WalActivity {
  records: number | null;
  fullPageImages: number | null;
  bytes: number | null;
  buffersFull: number | null;
  writes: number | null;
  syncs: number | null;
  /** Needs track_wal_io_timing; null without it. */
  writeSeconds: number | null;
  syncSeconds: number | null;
}

/** From pg_stat_bgwriter (to 16) or pg_stat_checkpointer and pg_stat_bgwriter (17 on). */
export interface CheckpointActivity {
  timed: number;
  requested: number;
  writeSeconds: number;
  syncSeconds: number;
  buffersWritten: number;
  buffersWrittenByBackends: number | null;
  buffersWrittenByBackgroundWriter: number;
}

/** From pg_stat_database, for the measured database. */
export interface DatabaseActivity {
  commits: number;
  rollbacks: number;
  deadlocks: number;
  temporaryBytes: number;
  blocksRead: number;
  blocksHit: number;
  /** Runs of autovacuum over tables that ended in the trial; absent in results of before they were counted. */
  autovacuums?: number | null;
  autoanalyzes?: number | null;
  /** At the end of the trial, not a difference. */
  sizeBytes: number;
  /** Of the history table, the same; null where there is none. */
  historyBytes?: number | null;
}

/** What the trial started from. */
export interface SizesAtStart {
  sizeBytes: number;
  historyBytes?: number | null;
}
