import { settingNumber } from '../../postgres/setting-units.ts';
import { type Link, manual, type Mechanism, type Values } from './mechanism.ts';
import {
  all,
  commitDelay,
  flushesAwaited,
  forTheSameWal,
  longerFlushes,
  more,
  partOf,
  perTransaction,
  ratio,
  type SideFacts,
  times,
} from './sizes.ts';

const isOn = (value: string): boolean => value === 'on';
const onlySlow =
  (name: string, has: (value: string) => boolean = isOn) =>
  (slow: Values, fast: Values): boolean =>
    has(slow(name)) && !has(fast(name));

function isLess(one: string, other: string): boolean {
  const [less, more] = [settingNumber(one), settingNumber(other)];
  return less !== null && more !== null && less < more;
}

/** Seconds that the workers of a transaction work beside its session. */
const workersTime = ({ measure }: SideFacts): number | null => ratio(measure('waits.workers'), measure('tps'));

/** Generous for one processor: to compress a whole page (pglz is the slowest), to copy one, to spill and read back a byte. */
const [compressing, copying, spilling] = [300e-6, 20e-6, 20e-9];

function compressionOf(values: Values): number {
  const value = values('wal_compression');
  return ['off', 'lz4', 'zstd', 'pglz'].indexOf(value === 'on' ? 'pglz' : value);
}

const moreWal: Link = {
  metric: 'wal.bytesPerTransaction',
  slower: 'more',
  by: 'ratio',
  needed: true,
  min: 0.05,
  claim: 'each transaction writes more WAL',
};

/** Settings of parallel queries: they start more workers if these are greater, if these are smaller, and if these are on. */
const workers = {
  greater: ['max_parallel_workers_per_gather', 'max_parallel_workers', 'max_worker_processes'],
  smaller: [
    'parallel_setup_cost',
    'parallel_tuple_cost',
    'min_parallel_table_scan_size',
    'min_parallel_index_scan_size',
  ],
  on: [
    'enable_gathermerge',
    'enable_parallel_hash',
    'enable_parallel_append',
    'force_parallel_mode',
    'debug_parallel_query',
  ],
};
const parallelSettings = [...Object.values(workers).flat(), 'parallel_leader_participation'];

/** Whether the slow side starts more workers, or has a leader that only waits for them. */
function waitsForMore(slow: Values, fast: Values): boolean {
  return (
    workers.greater.some((name) => isLess(fast(name), slow(name))) ||
    workers.smaller.some((name) => isLess(slow(name), fast(name))) ||
    workers.on.some((name) => onlySlow(name)(slow, fast)) ||
    onlySlow('parallel_leader_participation', (value) => value === 'off')(slow, fast)
  );
}

// One size for several kinds of time, which share it.
const sleepBeforeFlush = more((side) => delayOfFlushes(side));
const fewerWorkers = more(times(-1, workersTime));

/**
 * Differences that act directly on a kind of time. One is named before what was measured, if the slower side has it, if its links
 * hold, and if it can carry half of what that side loses in that kind.
 */
export const causes: readonly (Mechanism & { differingIn: readonly string[] })[] = [
  {
    name: 'commit-delay',
    title: 'Commits wait for commit_delay before they flush WAL, a sleep without a wait event up to PostgreSQL 18',
    // Until 18, the session that sleeps has no wait event. There is one at a time, and the others wait for its flush.
    kinds: {
      walFlush: more(times(flushesAwaited, commitDelay)),
      asleep: sleepBeforeFlush,
      cpu: sleepBeforeFlush,
    },
    differingIn: ['commit_delay', 'commit_siblings'],
    sources: [`${manual}/runtime-config-wal.html#GUC-COMMIT-DELAY`],
  },
  {
    name: 'synchronous-commit',
    title: 'Commits wait for the WAL flush',
    kinds: { walFlush: forTheSameWal(all) },
    differingIn: ['synchronous_commit'],
    isSlow: (slow, fast) => slow('synchronous_commit') !== 'off' && fast('synchronous_commit') === 'off',
    sources: [`${manual}/runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT`],
  },
  {
    name: 'fsync',
    title: 'WAL is flushed to the volume',
    kinds: { walFlush: forTheSameWal(all) },
    differingIn: ['fsync'],
    isSlow: onlySlow('fsync'),
    sources: [`${manual}/runtime-config-wal.html#GUC-FSYNC`],
  },
  {
    name: 'wal-sync-method',
    title: 'WAL is flushed by another method',
    kinds: { walFlush: forTheSameWal(longerFlushes) },
    differingIn: ['wal_sync_method'],
    sources: [`${manual}/runtime-config-wal.html#GUC-WAL-SYNC-METHOD`],
  },
  {
    name: 'full-page-writes',
    title: 'The first change of a page after a checkpoint writes all of it to WAL',
    kinds: {
      walFlush: partOf('wal.bytes'),
      walInsert: partOf('wal.bytes'),
      cpu: more(times(copying, perTransaction('wal.fullPageImages'))),
    },
    differingIn: ['full_page_writes'],
    isSlow: onlySlow('full_page_writes'),
    links: [moreWal],
    sources: [`${manual}/runtime-config-wal.html#GUC-FULL-PAGE-WRITES`],
  },
  {
    name: 'uncompressed-wal',
    title: 'Whole pages in WAL are not compressed',
    kinds: { walFlush: partOf('wal.bytes'), walInsert: partOf('wal.bytes') },
    differingIn: ['wal_compression'],
    isSlow: onlySlow('wal_compression', (value) => value === 'off'),
    links: [moreWal],
    sources: [`${manual}/runtime-config-wal.html#GUC-WAL-COMPRESSION`],
  },
  {
    name: 'wal-compression',
    title: 'Whole pages are compressed before they are written to WAL',
    kinds: { cpu: (slow) => times(compressing, perTransaction('wal.fullPageImages'))(slow) },
    differingIn: ['wal_compression'],
    // The methods of 15 and newer take from less time to more in this order; `on` is pglz.
    isSlow: (slow, fast) => compressionOf(slow) > compressionOf(fast),
    sources: [`${manual}/runtime-config-wal.html#GUC-WAL-COMPRESSION`],
  },
  {
    name: 'wal-files',
    title: 'New WAL files are created, or filled with zeros',
    kinds: { walFiles: all },
    differingIn: ['wal_recycle', 'wal_init_zero', 'min_wal_size', 'max_wal_size'],
    // The fewer files are kept for reuse, the more are new.
    isSlow: (slow, fast) =>
      onlySlow('wal_recycle', (value) => value === 'off')(slow, fast) ||
      onlySlow('wal_init_zero')(slow, fast) ||
      ['min_wal_size', 'max_wal_size'].some((name) => isLess(slow(name), fast(name))),
    sources: [`${manual}/wal-configuration.html`],
  },
  {
    name: 'fewer-parallel-workers',
    title: 'Fewer parallel workers share the work of a transaction',
    kinds: { cpu: fewerWorkers, dataRead: fewerWorkers, temporaryFiles: fewerWorkers },
    differingIn: parallelSettings,
    sources: [`${manual}/parallel-query.html`],
  },
  {
    name: 'more-parallel-workers',
    title: 'Transactions start parallel workers and wait for them',
    kinds: { parallel: all },
    differingIn: parallelSettings,
    isSlow: waitsForMore,
    sources: [`${manual}/parallel-query.html`],
  },
  {
    name: 'jit',
    title: 'Statements are compiled before they run',
    kinds: { cpu: more(perTransaction('statements.jitTime')) },
    differingIn: ['jit', 'jit_above_cost', 'jit_inline_above_cost', 'jit_optimize_above_cost'],
    sources: [`${manual}/jit.html`],
  },
  {
    name: 'work-mem',
    title: 'Data that does not fit into work_mem goes to temporary files',
    kinds: {
      temporaryFiles: partOf('database.temporaryBytes'),
      cpu: more(times(spilling, perTransaction('database.temporaryBytes'))),
    },
    differingIn: ['work_mem', 'hash_mem_multiplier'],
    links: [
      {
        metric: 'database.temporaryBytesPerTransaction',
        slower: 'more',
        by: 'difference',
        needed: true,
        claim: 'each transaction writes more to temporary files',
      },
    ],
    sources: [`${manual}/runtime-config-resource.html#GUC-WORK-MEM`],
  },
  {
    name: 'vacuum-delay',
    title: 'VACUUM pauses for its cost limit',
    kinds: { sleep: more(({ measure }) => ratio(measure('waits.sessions.Timeout:VacuumDelay') ?? 0, measure('tps'))) },
    differingIn: [
      ...['vacuum_cost_delay', 'vacuum_cost_limit', 'vacuum_cost_page_hit', 'vacuum_cost_page_miss'],
      'vacuum_cost_page_dirty',
    ],
    sources: [`${manual}/runtime-config-resource.html#GUC-VACUUM-COST-DELAY`],
  },
  {
    name: 'deadlock-timeout',
    title: 'Deadlocks last until deadlock_timeout',
    kinds: {
      locks: more((side) => {
        const [deadlocks, timeout] = [perTransaction('database.deadlocks')(side), side.setting('deadlock_timeout')];
        return deadlocks === null || timeout === null ? null : 2 * deadlocks * timeout;
      }),
    },
    differingIn: ['deadlock_timeout'],
    sources: [`${manual}/runtime-config-locks.html#GUC-DEADLOCK-TIMEOUT`],
  },
];

/** Per transaction, if each flush is delayed. */
function delayOfFlushes(side: SideFacts): number | null {
  const [delay, flushes] = [commitDelay(side), perTransaction('wal.syncs')(side)];
  return delay === null || flushes === null ? null : delay * flushes;
}
