/** Where a transaction truly spends what it takes longer, in the words of whoever planted it. */
export type TrueTime =
  | 'processor work'
  | 'wait for WAL'
  | 'wait for a standby'
  | 'waiting for workers'
  | 'waiting for locks'
  | 'temporary files'
  | 'client';

/** A cause that was planted without looking at what the explanation can name, for people to judge what it does name. */
export interface Unseen {
  /** What differs between the variants, and nothing else does. */
  planted: string;
  /** The setting or thing that must be named if anything is named as a cause. */
  rootCause: string;
  /** Where the time goes, the largest part first. */
  time: readonly TrueTime[];
  /** What happens there, as checked by hand without pgduet. */
  because: string;
  /** Names that would be false. */
  falseCauses: readonly string[];
  /** How many times the slower variant's TPS the other had, on a busy machine of two processors. By pgbench alone, but for limited volumes. */
  timesSlower: number;
}

/** Experiments under `experiments/`, whose explanation nobody has fitted to them. */
export const unseen: Readonly<Record<string, Unseen>> = {
  'commit-delay': {
    planted: 'commit_delay 0 against 30 ms, with eight clients that write, so that commit_siblings is met',
    rootCause: 'commit_delay',
    time: ['wait for WAL'],
    because:
      'One session sleeps 30 ms before it flushes WAL, and the others queue behind it. The flush itself takes a tenth of a millisecond. With 8 clients and 230 TPS, a transaction takes 35 ms, about one delay.',
    falseCauses: ['a slow WAL volume, or one at its limit', 'slow fsync', 'locks of rows', 'processors', 'checkpoints'],
    timesSlower: 15,
  },
  'missing-index': {
    planted: 'search_path leads to a table with an index on the searched column, or to an equal one without',
    rootCause: 'the missing index on purchase (customer): a sequential scan instead of an index scan',
    time: ['processor work'],
    because: 'A look-up of 20 rows filters all 100,000, which the shared buffers hold. Nothing is read from disk.',
    falseCauses: ['shared_buffers too small', 'a slow data volume', 'processors too slow, as if nothing else was'],
    timesSlower: 45,
  },
  'parallel-query': {
    planted: 'max_parallel_workers_per_gather 0 against 2, for a large aggregate by one client',
    rootCause: 'max_parallel_workers_per_gather: parallel workers share the aggregate',
    time: ['processor work', 'waiting for workers'],
    because:
      'The same rows are aggregated by three processes on two processors. The leader computes less, and waits for its workers instead. The serial side is the slower one, and does not wait.',
    falseCauses: ['reading data', 'shared_buffers', 'waiting for workers as what makes the serial side slow', 'locks'],
    timesSlower: 1.8,
  },
  'sort-spill': {
    planted: 'work_mem 64 MB against 64 kB, for a sort of eight megabytes by one client',
    rootCause: 'work_mem: the sort spills to temporary files (external merge)',
    time: ['temporary files', 'processor work'],
    because:
      'The sort writes and reads runs in several passes. The kernel caches the files, so most of that is processor work and system calls of the backend.',
    falseCauses: ['shared_buffers too small', 'a slow data volume', 'WAL', 'checkpoints'],
    timesSlower: 1.9,
  },
  'jit-short-statements': {
    planted: 'jit_above_cost 100000 against 0, for a statement that takes a fifth of a millisecond',
    rootCause: 'jit_above_cost (JIT compilation)',
    time: ['processor work'],
    because: 'LLVM compiles expressions of each statement for several milliseconds, in the backend.',
    falseCauses: ['planning', 'another plan', 'slow processors', 'more rows', 'reading data'],
    timesSlower: 34,
  },
  'timed-plans': {
    planted: 'session_preload_libraries without and with auto_explain, whose log_analyze is on and which logs nothing',
    rootCause: 'auto_explain by session_preload_libraries: it times each node (auto_explain.log_analyze, log_timing)',
    time: ['processor work'],
    because:
      'The clock is read twice for each of 200,000 rows at each node. No statement takes ten seconds, so no line is written to the log. The plans are the same.',
    falseCauses: ['writing the log', 'another plan', 'reading data', 'slow processors'],
    timesSlower: 3.3,
  },
  'custom-plans': {
    planted: 'plan_cache_mode force_generic_plan against force_custom_plan, for a prepared join of eight tables',
    rootCause: 'plan_cache_mode: each execution is planned anew',
    time: ['processor work'],
    because:
      'To plan the join takes ten times as long as to execute it. Both plans are the same: eight index look-ups.',
    falseCauses: ['another plan', 'a missing index', 'slow processors', 'the client', 'reading data'],
    timesSlower: 9.7,
  },
  'wal-compression': {
    planted: 'wal_compression off against pglz, on a log volume of 2 MiB/s, where nearly each change logs a whole page',
    rootCause: 'wal_compression: the plain side writes several times as many bytes of WAL',
    time: ['wait for WAL'],
    because:
      'A commit waits for 15 kB at 2 MiB/s; compressed, for 4 kB. Both sides log equally many pages for each transaction. On an unlimited volume, compression made it slower by a third.',
    falseCauses: [
      'checkpoints that come more often on one side',
      'max_wal_size',
      'IOPS of the log volume',
      'wal_buffers',
    ],
    timesSlower: 2.9,
  },
  'deadlock-timeout': {
    planted: 'deadlock_timeout 10 ms against 1 s, for transactions that lock two of twenty rows in no fixed order',
    rootCause: 'deadlock_timeout: deadlocks stay until then (the order of the locks causes them on both sides)',
    time: ['waiting for locks'],
    because:
      'Deadlocks happen on both sides. A deadlock blocks its sessions, and whoever wants their rows, until the timeout. The slow side has fewer deadlocks, since less gets done.',
    falseCauses: ['more deadlocks on the slow side', 'more conflicts or hotter rows', 'WAL', 'repeating transactions'],
    timesSlower: 9.4,
  },
  'notify-at-commit': {
    planted: 'transactions without and with NOTIFY before they commit, 16 clients, a volume of 300 IOPS',
    rootCause: 'NOTIFY: its lock on the whole server is held until the commit is flushed, so there is no group commit',
    time: ['waiting for locks', 'wait for WAL'],
    because:
      'One flush serves one transaction, and all others wait for the lock of type object of database 0. Without NOTIFY, one flush serves several.',
    falseCauses: ['hot rows', 'a slower WAL volume', 'more WAL', 'synchronous_commit', 'wal_buffers'],
    timesSlower: 7,
  },
  'delayed-replay': {
    planted: 'synchronous_commit on against remote_apply, with a standby whose recovery_min_apply_delay is 20 ms',
    rootCause: 'synchronous_commit = remote_apply: commits wait for replay, which recovery_min_apply_delay delays',
    time: ['wait for a standby'],
    because:
      'The standby writes and flushes equally fast on both sides, and replays 20 ms late on purpose. With 8 clients and 357 TPS, a transaction takes 22 ms, about the delay.',
    falseCauses: ['a slow volume of the standby', 'a slow network', 'a slow WAL volume of the primary', 'too much WAL'],
    timesSlower: 5,
  },
  'held-back-cleanup': {
    planted:
      'vacuum_defer_cleanup_age 0 against 1,000,000 transactions, while one client changes all ten rows of a table',
    rootCause: 'vacuum_defer_cleanup_age: dead row versions may not be removed, as beside a long transaction',
    time: ['processor work'],
    because:
      'Each scan of the ten rows passes all their dead versions, thousands within seconds, in the shared buffers. The table grows. TPS falls during a trial; each begins with the table restored.',
    falseCauses: ['locks of rows', 'autovacuum, which is off on both sides', 'shared_buffers', 'WAL', 'checkpoints'],
    timesSlower: 4,
  },
  'coarse-statistics': {
    planted: 'default_statistics_target 100 against 1, in effect when the loaded tables are analysed',
    rootCause: 'default_statistics_target: rows are overestimated, so the planner joins by a hash of whole tables',
    time: ['processor work'],
    because:
      'Twenty rows qualify, and the planner expects half of the table. All rows are in the shared buffers, and the same indexes exist on both sides.',
    falseCauses: ['a missing index', 'shared_buffers', 'work_mem', 'reading data', 'slow processors'],
    timesSlower: 45,
  },
  'chatty-application': {
    planted: 'twenty rows by one statement, or by twenty statements in sequence, from one client',
    rootCause: 'the number of statements of a transaction, each with a round trip',
    time: ['client', 'processor work'],
    because:
      'The same rows are read. Each statement costs parsing, planning and a round trip: part of the time is between statements, and part in the backend.',
    falseCauses: ['a slow network', 'a saturated driver', 'another plan', 'more rows', 'slow processors'],
    timesSlower: 11,
  },
};
