import type { MajorChanges } from './form.ts';

/** Made by scripts/server-versions.ts. */
export const changes: MajorChanges = {
  major: 16,
  asked: '16.14',
  parameters: {
    createrole_self_grant: { type: 'string', context: 'user' },
    debug_io_direct: { type: 'string', context: 'postmaster' },
    debug_logical_replication_streaming: {
      type: 'enum',
      values: ['buffered', 'immediate'],
      default: 'buffered',
      context: 'user',
    },
    debug_parallel_query: {
      type: 'enum',
      values: ['0', '1', 'false', 'no', 'off', 'on', 'regress', 'true', 'yes'],
      default: 'off',
      context: 'user',
    },
    enable_presorted_aggregate: { type: 'bool', default: 'on', context: 'user' },
    extension_destdir: null,
    file_extend_method: {
      type: 'enum',
      values: ['posix_fallocate', 'write_zeros'],
      default: 'posix_fallocate',
      context: 'sighup',
    },
    force_parallel_mode: null,
    gss_accept_delegation: { type: 'bool', default: 'off', context: 'sighup' },
    icu_validation_level: {
      type: 'enum',
      values: [
        'debug',
        'debug1',
        'debug2',
        'debug3',
        'debug4',
        'debug5',
        'disabled',
        'error',
        'info',
        'log',
        'notice',
        'warning',
      ],
      default: 'warning',
      context: 'user',
    },
    lc_collate: null,
    lc_ctype: null,
    max_parallel_apply_workers_per_subscription: {
      type: 'integer',
      min: 0,
      max: 1024,
      default: '2',
      context: 'sighup',
    },
    promote_trigger_file: null,
    reserved_connections: { type: 'integer', min: 0, max: 262143, default: '0', context: 'postmaster' },
    scram_iterations: { type: 'integer', min: 1, max: 2147483647, default: '4096', context: 'user' },
    send_abort_for_crash: { type: 'bool', default: 'off', context: 'sighup' },
    send_abort_for_kill: { type: 'bool', default: 'off', context: 'sighup' },
    vacuum_buffer_usage_limit: { type: 'integer', unit: 'kB', min: 0, max: 16777216, default: '256', context: 'user' },
    vacuum_defer_cleanup_age: null,
  },
  waitEvents: {
    added: {
      Activity: 'LogicalParallelApplyMain',
      IO: 'DSMAllocate RelationMapReplace',
      IPC: `
      HashGrowBatchesReallocate HashGrowBucketsReallocate LogicalApplySendData LogicalParallelApplyStateChange`,
      LWLock: 'LogicalRepLauncherDSA LogicalRepLauncherHash',
      Lock: 'applytransaction',
      Timeout: 'SpinDelay',
    },
    removed: { IPC: 'HashGrowBatchesAllocate HashGrowBucketsAllocate' },
  },
  columns: {
    added: {
      pg_stat_io: `
      backend_type context evictions extend_time extends fsync_time fsyncs hits object op_bytes read_time reads
      reuses stats_reset write_time writeback_time writebacks writes`,
      pg_stat_user_tables: 'last_idx_scan last_seq_scan n_tup_newpage_upd',
    },
    removed: {},
  },
};
