import { bareKinds } from './bare-kinds.ts';
import { type Link, manual, type Mechanism } from './mechanism.ts';
import { forTheSameWal, longerFlushes, more, partOf, perTransaction, ratio, readsForRoom } from './sizes.ts';

/**
 * Data and WAL on one volume. The server does not count what its file system writes besides, or the zeros of new WAL files:
 * less than a fifth may be that.
 */
const crowdedWalVolume: Link = {
  metric: 'walVolume.otherWrites',
  slower: 'more',
  by: 'difference',
  min: 0.2,
  claim: 'more of the writes to the WAL volume are not WAL writes counted by the server',
};

/** Other work, such as another plan, or more rows that are dead: no question of how much fits into the buffers. */
const moreBlocks: Link = {
  metric: 'database.blocksTouchedPerTransaction',
  slower: 'more',
  by: 'ratio',
  min: 0.2,
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
  claim: 'this machine’s CPUs, shared by servers and load generator, are nearly saturated',
};

/**
 * The mechanisms that pgduet knows, as data. A mechanism is named if a transaction loses time of its kind and the links
 * that it needs hold. If several end in the same kind, only the one that needs the most links is named.
 */
export const mechanisms: readonly Mechanism[] = [
  {
    name: 'checkpoint-pressure',
    title: 'Each checkpoint covers fewer transactions, so each transaction writes more WAL to flush',
    kinds: { walFlush: partOf('wal.bytes') },
    links: [
      {
        metric: 'checkpoints.transactionsEach',
        slower: 'less',
        by: 'ratio',
        needed: true,
        min: 0.2,
        claim: 'fewer transactions run per checkpoint cycle',
      },
      {
        metric: 'wal.fullPageImagesPerTransaction',
        slower: 'more',
        by: 'ratio',
        needed: true,
        min: 0.2,
        claim: 'a transaction writes more full-page images to WAL, each on the first change after a checkpoint',
      },
      {
        metric: 'wal.bytesPerTransaction',
        slower: 'more',
        by: 'ratio',
        needed: true,
        min: 0.1,
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
    title: 'Each WAL flush takes longer',
    kinds: { walFlush: forTheSameWal(longerFlushes) },
    // They decide whether a transaction waits for a flush at all.
    equalIn: ['synchronous_commit', 'fsync'],
    links: [
      crowdedWalVolume,
      {
        metric: 'walVolume.limitReached',
        slower: 'more',
        by: 'difference',
        min: 0.05,
        claim: 'the WAL volume is at its limit more of the time',
      },
      {
        metric: 'wal.meanSyncTime',
        slower: 'more',
        by: 'ratio',
        needed: true,
        claim: 'each WAL flush takes longer',
      },
      {
        metric: 'wal.commitsPerSync',
        slower: 'less',
        by: 'ratio',
        min: 0.1,
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
    name: 'wal-buffers-full',
    title: 'WAL does not fit into its buffers',
    kinds: {
      // While one session writes, all others may wait for it.
      walInsert: more((side) => {
        const [clients, write] = [side.measure('client.turn'), perTransaction('wal.writeTime')(side)];
        const tps = side.measure('tps');
        return clients === null || write === null || tps === null ? null : clients * tps * write;
      }),
    },
    differingIn: ['wal_buffers'],
    links: [
      {
        metric: 'wal.buffersFullPerTransaction',
        slower: 'more',
        by: 'difference',
        needed: true,
        min: 0.01,
        claim: 'transactions must write out full WAL buffers more often',
      },
    ],
    sources: [`${manual}/runtime-config-wal.html#GUC-WAL-BUFFERS`],
  },
  {
    name: 'buffers-too-small',
    title: 'More data is read from outside shared buffers',
    kinds: { dataRead: readsForRoom },
    differingIn: ['shared_buffers'],
    unless: [moreBlocks],
    links: [
      {
        metric: 'database.blocksReadPerTransaction',
        slower: 'more',
        by: 'ratio',
        needed: true,
        min: 0.5,
        claim: 'a transaction reads more blocks from outside shared buffers',
      },
      {
        metric: 'database.cacheHits',
        slower: 'less',
        by: 'difference',
        needed: true,
        min: 0.002,
        claim: 'the shared-buffers hit ratio is lower',
      },
    ],
    sources: [`${manual}/runtime-config-resource.html#GUC-SHARED-BUFFERS`],
  },
  {
    name: 'slow-data-volume',
    title: 'The data volume is at its limit',
    kinds: {
      dataRead(slow, fast) {
        const timePerBlock = more(({ measure }) => ratio(measure('database.readTime'), measure('database.blocksRead')));
        const [longer, blocks] = [timePerBlock(slow, fast), perTransaction('database.blocksRead')(slow)];
        return longer === null || blocks === null ? null : longer * blocks;
      },
    },
    links: [
      {
        metric: 'volumes.data.limitReached',
        slower: 'more',
        by: 'difference',
        needed: true,
        min: 0.05,
        claim: 'the data volume is at its limit more of the time',
      },
    ],
    sources: ['https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html'],
  },
  {
    name: 'data-reads',
    title: 'Transactions wait for data to be read',
    kinds: { dataRead: null },
    links: [moreBlocks],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-IO-TABLE`],
  },
  {
    name: 'driver-bound',
    title: 'The load generator is at its limit',
    kinds: {
      // Its threads work for one client after another.
      client(slow) {
        const [busy, turn] = [slow.measure('driver.loadGeneratorBusy'), slow.measure('client.turn')];
        return busy === null || turn === null ? null : busy * turn;
      },
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
    name: 'client-bound',
    title: 'Sessions wait for their clients: network, or work of the client',
    kinds: { client: null },
    // A client that waits for a processor itself is not the cause, but suffers from the same one.
    unless: [busyMachine],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-TABLE`],
  },
  {
    name: 'processor-time',
    title: 'Transactions use more CPU, or wait longer for a CPU',
    kinds: { cpu: null },
    links: [moreBlocks],
    sources: ['https://www.brendangregg.com/usemethod.html'],
  },
  ...bareKinds,
];
