/** What a link expects of the slower variant. */
export interface Link {
  /** Name of a metric of the catalogue. */
  metric: string;
  /** Whether the slower variant has more or less of it; any: it is enough that it has `atLeast`. */
  slower: 'more' | 'less' | 'any';
  /** By what the two sides are compared. Times and shares that may be zero need a difference. */
  by: 'ratio' | 'difference';
  /** What the slower variant has, in the words of a DBA. */
  claim: string;
  /** Without it the mechanism is not named. @default false */
  needed?: boolean;
  /** The smallest change, as a ratio minus one or as a difference, that is worth naming. @default any */
  least?: number;
  /** What the slower variant must have at least, such as a share that counts as saturated. */
  atLeast?: number;
}

/** One way in which one variant can be slower than another: a chain from its cause to the throughput. */
export interface Mechanism {
  name: string;
  title: string;
  /** Parts of a transaction's time (metrics/turn.ts) in which it costs time. */
  time: readonly string[];
  /** From the cause to the effect. */
  links: readonly Link[];
  /** Where the mechanism is described. */
  sources: readonly string[];
}

const manual = 'https://www.postgresql.org/docs/current';

/**
 * The mechanisms that pgduet knows, as data. A mechanism is named if the links that it needs hold and the time that it costs
 * accounts for a part of the effect. Of two that account for much the same, the one that needs more comes first.
 */
export const mechanisms: readonly Mechanism[] = [
  {
    name: 'synchronous-replication',
    title: 'Commits wait for a synchronous standby',
    time: ['syncRep'],
    links: [
      {
        ...{ metric: 'turn.syncRep', slower: 'more', by: 'difference', needed: true },
        claim: 'a commit waits until a standby has its WAL (IPC:SyncRep)',
      },
    ],
    sources: [`${manual}/warm-standby.html#SYNCHRONOUS-REPLICATION`],
  },
  {
    name: 'lock-bound',
    title: 'Transactions wait for locks of each other',
    time: ['locks'],
    links: [
      {
        ...{ metric: 'turn.locks', slower: 'more', by: 'difference', needed: true },
        claim: 'transactions wait for rows or objects that others have locked',
      },
    ],
    sources: [`${manual}/explicit-locking.html`],
  },
  {
    name: 'driver-bound',
    title: 'The load generator is at its limit',
    time: ['client'],
    links: [
      {
        ...{ metric: 'driver.loadGeneratorBusy', slower: 'more', by: 'difference', needed: true, atLeast: 0.85 },
        claim: 'the threads of the load generator have no time to spare',
      },
      {
        ...{ metric: 'turn.client', slower: 'more', by: 'difference', needed: true },
        claim: 'the server waits for its clients between their statements',
      },
    ],
    sources: [`${manual}/pgbench.html#id-1.9.4.11.9.9`],
  },
  {
    name: 'client-bound',
    title: 'Sessions wait for their clients',
    time: ['client'],
    links: [
      {
        ...{ metric: 'turn.client', slower: 'more', by: 'difference', needed: true },
        claim: 'the server waits for its clients between their statements: network, or work of the client',
      },
    ],
    sources: [`${manual}/monitoring-stats.html#WAIT-EVENT-TABLE`],
  },
  {
    name: 'checkpoint-pressure',
    title: 'Checkpoints come too often',
    time: ['wal', 'dataWrite', 'dataRead', 'cpu', 'other'],
    links: [
      {
        ...{ metric: 'checkpoints.count', slower: 'more', by: 'difference', needed: true, least: 1 },
        claim: 'more checkpoints begin in the same time',
      },
      {
        ...{ metric: 'wal.fullPageImagesPerTransaction', slower: 'more', by: 'ratio', needed: true, least: 0.2 },
        claim: 'the first change of a page after a checkpoint writes the whole page to WAL',
      },
      {
        ...{ metric: 'wal.bytesPerTransaction', slower: 'more', by: 'ratio', needed: true, least: 0.1 },
        claim: 'so each transaction writes more WAL',
      },
      {
        ...{ metric: 'turn.wal', slower: 'more', by: 'difference' },
        claim: 'and waits longer for it',
      },
    ],
    sources: [`${manual}/wal-configuration.html`, `${manual}/runtime-config-wal.html#GUC-FULL-PAGE-WRITES`],
  },
  {
    name: 'buffers-too-small',
    title: 'Data does not fit into shared buffers',
    time: ['dataRead', 'dataWrite'],
    links: [
      {
        ...{ metric: 'database.blocksReadPerTransaction', slower: 'more', by: 'ratio', needed: true, least: 0.5 },
        claim: 'more blocks are read from outside shared buffers',
      },
      {
        ...{ metric: 'database.cacheHits', slower: 'less', by: 'difference', needed: true, least: 0.002 },
        claim: 'fewer blocks are found in shared buffers',
      },
      {
        ...{ metric: 'turn.dataRead', slower: 'more', by: 'difference', needed: true },
        claim: 'transactions wait for these reads',
      },
    ],
    sources: [`${manual}/runtime-config-resource.html#GUC-SHARED-BUFFERS`],
  },
  {
    name: 'wal-flush',
    title: 'Flushes of WAL are slow',
    time: ['wal'],
    links: [
      {
        ...{ metric: 'walVolume.otherWrites', slower: 'more', by: 'difference', least: 0.05 },
        claim: 'checkpoints and backends write data to the volume that takes the WAL',
      },
      {
        ...{ metric: 'walVolume.limitReached', slower: 'more', by: 'difference', least: 0.05 },
        claim: 'the volume of the WAL is at its limit for more of the time',
      },
      {
        ...{ metric: 'wal.meanSyncTime', slower: 'more', by: 'ratio' },
        claim: 'so a flush of WAL takes longer',
      },
      {
        ...{ metric: 'turn.wal', slower: 'more', by: 'difference', needed: true },
        claim: 'and commits wait for it (WALSync, WALWrite)',
      },
    ],
    sources: [
      `${manual}/wal-configuration.html`,
      'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html',
    ],
  },
  {
    name: 'cpu-bound',
    title: 'Processors are the limit',
    time: ['cpu'],
    links: [
      {
        ...{ metric: 'driver.busy', slower: 'any', by: 'difference', needed: true, atLeast: 0.9 },
        claim: 'this machine, which servers and load generator share, has no processor time to spare',
      },
      {
        ...{ metric: 'turn.cpu', slower: 'more', by: 'difference', needed: true },
        claim: 'a transaction works, or waits for a processor, longer',
      },
    ],
    sources: ['https://www.brendangregg.com/usemethod.html'],
  },
];
