import type { TimeKind } from '../../metrics/transaction-time.ts';
import { forTheSameWal, longerFlushes, more, partOf, perTransaction, ratio, readsForRoom, type Size } from './sizes.ts';

/** What a link expects of the slower variant. */
export interface Link {
  /**
   * Name of a metric of the catalogue. It must be relative to the work done: a total grows simply with the throughput.
   */
  metric: string;
  /** Whether the slower variant has more or less of it; any: it is enough that it has `atLeast`. */
  slower: 'more' | 'less' | 'any';
  /** How the two sides are compared. Times and shares that may be zero need a difference. */
  by: 'ratio' | 'difference';
  /**
   * What is true of the slower variant, in the words of a DBA. The values of both sides follow it without a label, such as
   * `a flush of WAL takes longer (6.2 against 4.8 ms)`.
   */
  claim: string;
  /** If true, the mechanism is not named without this link. @default false */
  needed?: boolean;
  /** If true, the mechanism is named even if the trials contradict this link. @default false */
  mayOppose?: boolean;
  /** The smallest change, as a ratio minus one or as a difference, that is worth naming. @default any */
  least?: number;
  /** The least value of the slower variant, such as a share that counts as saturated. */
  atLeast?: number;
}

/**
 * One way in which one variant can be slower than another: a chain from its cause to a kind of time that a transaction
 * loses. All of them are in this one file, since they are weighed against each other; settings that act on a kind of
 * time by themselves (causes.ts) and plans that differ come before them.
 */
export interface Mechanism {
  name: string;
  title: string;
  /** The kind of time in which the chain ends. It accounts for this time and for no other. */
  kind: TimeKind;
  /** The most that it can explain. Without it, this is no cause, but only says where the time goes. */
  size?: Size;
  /** From the cause to that time. If it is empty, only the time itself is named. */
  links: readonly Link[];
  /**
   * At least one of these settings must differ between the sides. Otherwise, the chain may run the other way: more WAL
   * for each transaction may cause the checkpoints, for example. @default any
   */
  differingIn?: readonly string[];
  /** Settings that must not differ: each would be another cause of the same time. @default none */
  equalIn?: readonly string[];
  /** Other causes of the same time. If one holds, the two cannot be distinguished, and this mechanism is not named. */
  unless?: readonly Link[];
  /** Where the mechanism is described. */
  sources: readonly string[];
}

const manual = 'https://www.postgresql.org/docs/current';

/**
 * Data and WAL on one volume. The server does not count what its file system writes besides, or the zeros of new WAL files:
 * less than a fifth may be that.
 */
const crowdedWalVolume: Link = {
  metric: 'walVolume.otherWrites',
  slower: 'more',
  by: 'difference',
  least: 0.2,
  claim: 'more of the writes to the volume of the WAL are others than the WAL writes that the server counted',
};

/** Other work, such as another plan, or more rows that are dead: no question of how much fits into the buffers. */
const moreBlocks: Link = {
  metric: 'database.blocksTouchedPerTransaction',
  slower: 'more',
  by: 'ratio',
  least: 0.2,
  mayOppose: true,
  claim: 'a transaction touches more blocks, wherever they are',
};

/** The servers and the load generator need more processors than the machine has. */
const busyMachine: Link = {
  metric: 'driver.busy',
  slower: 'any',
  by: 'difference',
  needed: true,
  atLeast: 0.9,
  claim: 'this machine, which servers and load generator share, is almost fully busy',
};

/**
 * The mechanisms that pgduet knows, as data. A mechanism is named if a transaction loses time of its kind and the links
 * that it needs hold. If several end in the same kind, only the one that needs the most links is named.
 */
export const mechanisms: readonly Mechanism[] = [
  {
    name: 'checkpoint-pressure',
    title: 'Checkpoints come after less work, so each transaction writes more WAL to flush',
    kind: 'walFlush',
    size: partOf('wal.bytes'),
    links: [
      {
        metric: 'checkpoints.transactionsEach',
        slower: 'less',
        by: 'ratio',
        needed: true,
        least: 0.2,
        claim: 'fewer transactions run from the start of one checkpoint to the start of the next',
      },
      {
        metric: 'wal.fullPageImagesPerTransaction',
        slower: 'more',
        by: 'ratio',
        needed: true,
        least: 0.2,
        claim: 'a transaction writes more whole pages to WAL, each with its first change after a checkpoint',
      },
      {
        metric: 'wal.bytesPerTransaction',
        slower: 'more',
        by: 'ratio',
        needed: true,
        least: 0.1,
        claim: 'each transaction writes more WAL',
      },
    ],
    differingIn: ['max_wal_size', 'checkpoint_timeout', 'wal_segment_size', 'checkpoint_completion_target'],
    // A volume at its limit is not another cause: more WAL for each transaction can also bring it there.
    unless: [crowdedWalVolume],
    sources: [`${manual}/wal-configuration.html`, `${manual}/runtime-config-wal.html#GUC-FULL-PAGE-WRITES`],
  },
  {
    name: 'slow-wal-flush',
    title: 'Each flush of WAL takes longer',
    kind: 'walFlush',
    size: forTheSameWal(longerFlushes),
    // They decide whether a transaction waits for a flush at all.
    equalIn: ['synchronous_commit', 'fsync'],
    links: [
      crowdedWalVolume,
      {
        metric: 'walVolume.limitReached',
        slower: 'more',
        by: 'difference',
        least: 0.05,
        claim: 'the volume of the WAL is at its limit for more of the time',
      },
      {
        metric: 'wal.meanSyncTime',
        slower: 'more',
        by: 'ratio',
        needed: true,
        claim: 'a flush of WAL takes longer',
      },
      {
        metric: 'wal.commitsPerSync',
        slower: 'less',
        by: 'ratio',
        least: 0.1,
        // While a flush takes longer, more commits gather for the next one.
        mayOppose: true,
        claim: 'each flush serves fewer commits',
      },
    ],
    sources: [
      `${manual}/wal-configuration.html`,
      'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html',
    ],
  },
  {
    name: 'wal-flush',
    title: 'Transactions wait until WAL is written and flushed',
    kind: 'walFlush',
    links: [],
    sources: [`${manual}/wal-configuration.html`],
  },
  {
    name: 'wal-buffers-full',
    title: 'WAL does not fit into its buffers',
    kind: 'walInsert',
    // While one session writes, all others may wait for it.
    size: more((side) => {
      const [clients, write] = [side.measure('client.turn'), perTransaction('wal.writeTime')(side)];
      const tps = side.measure('tps');
      return clients === null || write === null || tps === null ? null : clients * tps * write;
    }),
    differingIn: ['wal_buffers'],
    links: [
      {
        metric: 'wal.buffersFullPerTransaction',
        slower: 'more',
        by: 'difference',
        needed: true,
        least: 0.01,
        claim: 'a transaction must write out WAL more often, to make room for its own',
      },
    ],
    sources: [`${manual}/runtime-config-wal.html#GUC-WAL-BUFFERS`],
  },
  {
    name: 'wal-insert',
    title: 'Transactions wait for each other to insert WAL',
    kind: 'walInsert',
    links: [],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-LWLOCK-TABLE`],
  },
  {
    name: 'synchronous-replication',
    title: 'Commits wait for a synchronous standby',
    kind: 'syncRep',
    links: [],
    sources: [`${manual}/warm-standby.html#SYNCHRONOUS-REPLICATION`],
  },
  {
    name: 'lock-bound',
    title: 'Transactions wait for rows or objects that others have locked',
    kind: 'locks',
    links: [],
    sources: [`${manual}/explicit-locking.html`],
  },
  {
    name: 'buffers-too-small',
    title: 'More data is read from outside shared buffers',
    kind: 'dataRead',
    size: readsForRoom,
    differingIn: ['shared_buffers'],
    unless: [moreBlocks],
    links: [
      {
        metric: 'database.blocksReadPerTransaction',
        slower: 'more',
        by: 'ratio',
        needed: true,
        least: 0.5,
        claim: 'a transaction reads more blocks from outside shared buffers',
      },
      {
        metric: 'database.cacheHits',
        slower: 'less',
        by: 'difference',
        needed: true,
        least: 0.002,
        claim: 'a smaller part of the blocks is found in shared buffers',
      },
    ],
    sources: [`${manual}/runtime-config-resource.html#GUC-SHARED-BUFFERS`],
  },
  {
    name: 'slow-data-volume',
    title: 'The volume of the data is at its limit',
    kind: 'dataRead',
    size(slow, fast) {
      const timePerBlock = more(({ measure }) => ratio(measure('database.readTime'), measure('database.blocksRead')));
      const [longer, blocks] = [timePerBlock(slow, fast), perTransaction('database.blocksRead')(slow)];
      return longer === null || blocks === null ? null : longer * blocks;
    },
    links: [
      {
        metric: 'volumes.data.limitReached',
        slower: 'more',
        by: 'difference',
        needed: true,
        least: 0.05,
        claim: 'the volume of the data is at its limit for more of the time',
      },
    ],
    sources: ['https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html'],
  },
  {
    name: 'data-reads',
    title: 'Transactions wait for data to be read',
    kind: 'dataRead',
    links: [moreBlocks],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-IO-TABLE`],
  },
  {
    name: 'data-writes',
    title: 'Transactions wait for data to be written',
    kind: 'dataWrite',
    links: [],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-IO-TABLE`],
  },
  {
    name: 'temporary-files',
    title: 'Transactions wait for temporary files',
    kind: 'temporaryFiles',
    links: [],
    sources: [`${manual}/runtime-config-resource.html#GUC-WORK-MEM`],
  },
  {
    name: 'parallel-workers',
    title: 'Transactions wait for their parallel workers',
    kind: 'parallel',
    links: [],
    sources: [`${manual}/parallel-plans.html`],
  },
  {
    name: 'internal-locks',
    title: 'Transactions wait for locks inside the server',
    kind: 'internalLocks',
    links: [],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-LWLOCK-TABLE`],
  },
  {
    name: 'asleep',
    title: 'Sessions neither work nor wait for anything that the server names',
    kind: 'asleep',
    links: [],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-TABLE`],
  },
  {
    name: 'wal-files',
    title: 'Transactions wait for files of WAL',
    kind: 'walFiles',
    links: [],
    sources: [`${manual}/wal-configuration.html`],
  },
  {
    name: 'sleep',
    title: 'Transactions sleep',
    kind: 'sleep',
    links: [],
    sources: [`${manual}/functions-datetime.html#FUNCTIONS-DATETIME-DELAY`],
  },
  {
    name: 'driver-bound',
    title: 'The load generator is at its limit',
    kind: 'client',
    // Its threads work for one client after another.
    size(slow) {
      const [busy, turn] = [slow.measure('driver.loadGeneratorBusy'), slow.measure('client.turn')];
      return busy === null || turn === null ? null : busy * turn;
    },
    links: [
      {
        metric: 'driver.loadGeneratorBusy',
        slower: 'more',
        by: 'difference',
        needed: true,
        atLeast: 0.85,
        claim: 'the threads of the load generator are busier',
      },
    ],
    sources: [`${manual}/pgbench.html#id-1.9.4.11.9.9`],
  },
  {
    name: 'connecting',
    title: 'Transactions wait for a connection of their own',
    kind: 'connecting',
    links: [],
    sources: [`${manual}/pgbench.html`, `${manual}/connect-estab.html`],
  },
  {
    name: 'client-bound',
    title: 'Sessions wait for their clients: network, or work of the client',
    kind: 'client',
    links: [],
    // A client that waits for a processor itself is not the cause, but suffers from the same one.
    unless: [busyMachine],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-TABLE`],
  },
  {
    name: 'processor-time',
    title: 'Transactions work longer, or wait longer for a processor',
    kind: 'cpu',
    links: [moreBlocks],
    sources: ['https://www.brendangregg.com/usemethod.html'],
  },
];
