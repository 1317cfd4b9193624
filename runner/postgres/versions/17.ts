import type { MajorChanges } from './form.ts';

/** Made by scripts/server-versions.ts. */
export const changes: MajorChanges = {
  major: 17,
  asked: '17.10',
  parameters: {
    allow_alter_system: { type: 'bool', default: 'on', context: 'sighup' },
    'auto_explain.log_parameter_max_length': {
      type: 'integer',
      unit: 'B',
      min: -1,
      max: 2147483647,
      default: '-1',
      context: 'superuser',
    },
    commit_timestamp_buffers: {
      type: 'integer',
      unit: '8kB',
      min: 0,
      max: 131072,
      default: '0',
      context: 'postmaster',
    },
    db_user_namespace: null,
    enable_group_by_reordering: { type: 'bool', default: 'on', context: 'user' },
    event_triggers: { type: 'bool', default: 'on', context: 'superuser' },
    huge_pages_status: { type: 'enum', context: 'internal' },
    io_combine_limit: { type: 'integer', unit: '8kB', min: 1, max: 32, default: '16', context: 'user' },
    maintenance_work_mem: { type: 'integer', unit: 'kB', min: 64, max: 2147483647, default: '65536', context: 'user' },
    max_notify_queue_pages: { type: 'integer', min: 64, max: 2147483647, default: '1048576', context: 'postmaster' },
    multixact_member_buffers: {
      type: 'integer',
      unit: '8kB',
      min: 16,
      max: 131072,
      default: '32',
      context: 'postmaster',
    },
    multixact_offset_buffers: {
      type: 'integer',
      unit: '8kB',
      min: 16,
      max: 131072,
      default: '16',
      context: 'postmaster',
    },
    notify_buffers: { type: 'integer', unit: '8kB', min: 16, max: 131072, default: '16', context: 'postmaster' },
    old_snapshot_threshold: null,
    serializable_buffers: { type: 'integer', unit: '8kB', min: 16, max: 131072, default: '32', context: 'postmaster' },
    subtransaction_buffers: { type: 'integer', unit: '8kB', min: 0, max: 131072, default: '0', context: 'postmaster' },
    summarize_wal: { type: 'bool', default: 'off', context: 'sighup' },
    sync_replication_slots: { type: 'bool', default: 'off', context: 'sighup' },
    synchronized_standby_slots: { type: 'string', context: 'sighup' },
    trace_connection_negotiation: { type: 'bool', default: 'off', context: 'postmaster' },
    trace_recovery_messages: null,
    transaction_buffers: { type: 'integer', unit: '8kB', min: 0, max: 131072, default: '0', context: 'postmaster' },
    transaction_timeout: { type: 'integer', unit: 'ms', min: 0, max: 2147483647, default: '0', context: 'user' },
    vacuum_buffer_usage_limit: { type: 'integer', unit: 'kB', min: 0, max: 16777216, default: '2048', context: 'user' },
    wal_summary_keep_time: { type: 'integer', unit: 'min', min: 0, max: 35791394, default: '14400', context: 'sighup' },
  },
  waitEvents: {
    added: {
      Activity: `
      AutovacuumMain BgwriterHibernate BgwriterMain ReplicationSlotsyncMain ReplicationSlotsyncShutdown
      SysloggerMain WalSummarizerWal`,
      Client: `
      GssOpenServer LibpqwalreceiverConnect LibpqwalreceiverReceive SslOpenServer WaitForStandbyConfirmation
      WalSenderWaitForWal`,
      IO: `
      BasebackupRead BasebackupSync BasebackupWrite BuffileRead BuffileTruncate BuffileWrite DsmAllocate
      DsmFillZeroWrite LockFileAddtodatadirRead LockFileAddtodatadirSync LockFileAddtodatadirWrite
      LockFileRecheckdatadirRead SlruFlushSync SlruRead SlruSync SlruWrite WalBootstrapSync WalBootstrapWrite
      WalCopyRead WalCopySync WalCopyWrite WalInitSync WalInitWrite WalRead WalSummaryRead WalSummaryWrite WalSync
      WalSyncMethodAssign WalWrite WalsenderTimelineHistoryRead`,
      IPC: `
      BgworkerShutdown BgworkerStartup BufferIo CheckpointDelayComplete CheckpointDelayStart MultixactCreation
      ProcarrayGroupUpdate WalSummaryReady`,
      LWLock: `
      DSMRegistry DSMRegistryDSA DSMRegistryHash InjectionPoint ParallelVacuumDSA SerialControl WALSummarizer
      WaitEventCustom`,
      Timeout: 'WalSummarizerError',
    },
    removed: {
      Activity: 'AutoVacuumMain BgWriterHibernate BgWriterMain SysLoggerMain',
      Client: `
      GSSOpenServer LibPQWalReceiverConnect LibPQWalReceiverReceive SSLOpenServer WalSenderWaitForWAL`,
      IO: `
      BaseBackupRead BaseBackupSync BaseBackupWrite BufFileRead BufFileTruncate BufFileWrite DSMAllocate
      DSMFillZeroWrite LockFileAddToDataDirRead LockFileAddToDataDirSync LockFileAddToDataDirWrite
      LockFileReCheckDataDirRead SLRUFlushSync SLRURead SLRUSync SLRUWrite WALBootstrapSync WALBootstrapWrite
      WALCopyRead WALCopySync WALCopyWrite WALInitSync WALInitWrite WALRead WALSenderTimelineHistoryRead WALSync
      WALSyncMethodAssign WALWrite`,
      IPC: 'BgWorkerShutdown BgWorkerStartup BufferIO ProcArrayGroupUpdate',
      LWLock: 'OldSnapshotTimeMap',
    },
  },
  columns: {
    added: {
      pg_stat_checkpointer: `
      buffers_written num_requested num_timed restartpoints_done restartpoints_req restartpoints_timed stats_reset
      sync_time write_time`,
    },
    removed: {
      pg_stat_bgwriter: `
      buffers_backend buffers_backend_fsync buffers_checkpoint checkpoint_sync_time checkpoint_write_time
      checkpoints_req checkpoints_timed`,
    },
  },
};
