import { type Measures, type Metric, ratioOf } from '../contract/metric.ts';
import { timeMetrics } from './transaction-time.ts';
import { startByRest, startThatDiffers } from '../statistics/steady-state.ts';
import { longestSilence, wholeSeconds } from './whole-seconds.ts';

const shown = { kind: 'share', unit: '1', better: 'lower', compared: null } as const;

/**
 * The volume that takes the WAL: the log volume if a server has one, and otherwise the volume of the data. So these
 * metrics can compare variants with and without a log volume.
 */
const walVolumeMetrics: readonly Metric[] = [
  {
    ...shown,
    name: 'walVolume.limitReached',
    label: 'WAL volume: time at limit',
    source: 'volumes.log.limitReached, or volumes.data.limitReached without a log volume',
    derive: (measures) => volumeMeasure(measures, 'limitReached'),
  },
  {
    ...shown,
    name: 'walVolume.otherWrites',
    label: 'WAL volume: writes other than counted WAL writes',
    source:
      '1 - wal.writes / (writes of the volume × collect.window); the file system’s own writes and new WAL files are among them',
    derive(measures) {
      const [writes, wal, seconds] = [
        volumeMeasure(measures, 'writes'),
        measures['wal.writes'] ?? null,
        countedSeconds(measures),
      ];
      if (writes === null || wal === null || seconds === null || writes * seconds <= 0) return null;
      return Math.max(0, 1 - wal / (writes * seconds));
    },
  },
];

/**
 * How long the server's counters counted. The runtime of a load is the time that it was asked for: its clients connect
 * before that, and its last transactions may end long after. Trials of earlier versions have only the runtime.
 */
function countedSeconds(measures: Measures): number | null {
  return measures['collect.window'] ?? measures['runtime'] ?? null;
}

function volumeMeasure(measures: Measures, what: string): number | null {
  const own = `volumes.log.${what}`;
  return measures[own in measures ? own : `volumes.data.${what}`] ?? null;
}

/** Metrics that are calculated from the measurements of several sources, or from a trial's series. */
export const derivedMetrics: readonly Metric[] = [
  {
    name: 'wal.commitsPerSync',
    label: 'commits per WAL sync',
    unit: '1',
    kind: 'rate',
    better: 'higher',
    compared: null,
    source: 'database.commits / wal.syncs',
    derive: (measures) => ratioOf(measures, 'database.commits', 'wal.syncs'),
  },
  {
    name: 'wal.bytesPerSecond',
    label: 'WAL per second, by pg_stat_wal',
    unit: 'B/s',
    kind: 'bytes',
    better: 'lower',
    compared: null,
    source: 'wal.bytes / load.seconds, so that it is WAL per transaction × TPS',
    derive: (measures) =>
      ratioOf({ ...measures, seconds: measures['load.seconds'] ?? countedSeconds(measures) }, 'wal.bytes', 'seconds'),
  },
  {
    name: 'wal.fullPageImagesPerTransaction',
    background: true,
    label: 'full-page images per transaction',
    unit: '1',
    kind: 'rate',
    better: 'lower',
    compared: null,
    hidden: true,
    source: 'wal.fullPageImages / transactions',
    derive: (measures) => ratioOf(measures, 'wal.fullPageImages', 'transactions'),
  },
  {
    name: 'wal.buffersFullPerTransaction',
    background: true,
    label: 'WAL buffers full, per transaction',
    unit: '1',
    kind: 'rate',
    better: 'lower',
    compared: null,
    hidden: true,
    source: 'wal.buffersFull / transactions',
    derive: (measures) => ratioOf(measures, 'wal.buffersFull', 'transactions'),
  },
  {
    name: 'checkpoints.transactionsEach',
    label: 'transactions per checkpoint cycle',
    unit: '1',
    kind: 'rate',
    better: 'higher',
    compared: null,
    hidden: true,
    source: 'checkpoints.cycle × tps: how much work one checkpoint serves',
    derive: ({ 'checkpoints.cycle': cycle = null, tps = null }) =>
      cycle === null || tps === null ? null : cycle * tps,
  },
  {
    name: 'database.blocksReadPerTransaction',
    label: 'blocks read per transaction',
    unit: '1',
    kind: 'rate',
    better: 'lower',
    compared: null,
    source: 'database.blocksRead / transactions: from outside shared buffers',
    derive: (measures) => ratioOf(measures, 'database.blocksRead', 'transactions'),
  },
  {
    name: 'database.blocksTouchedPerTransaction',
    label: 'blocks touched per transaction',
    unit: '1',
    kind: 'rate',
    better: 'lower',
    compared: null,
    hidden: true,
    source: '(database.blocksRead + database.blocksHit) / transactions',
    derive({ 'database.blocksRead': read = null, 'database.blocksHit': hit = null, transactions = null }) {
      return read === null || hit === null || !transactions ? null : (read + hit) / transactions;
    },
  },
  {
    ...shown,
    name: 'database.rollbackShare',
    label: 'transactions rolled back',
    source: 'database.rollbacks / (database.commits + database.rollbacks), of all sessions in the database',
    derive({ 'database.commits': commits = null, 'database.rollbacks': rollbacks = null }) {
      return commits === null || rollbacks === null || commits + rollbacks <= 0
        ? null
        : rollbacks / (commits + rollbacks);
    },
  },
  {
    name: 'database.temporaryBytesPerTransaction',
    label: 'temporary files per transaction',
    unit: 'B',
    kind: 'bytes',
    better: 'lower',
    compared: null,
    hidden: true,
    source: 'database.temporaryBytes / transactions',
    derive: (measures) => ratioOf(measures, 'database.temporaryBytes', 'transactions'),
  },
  ...walVolumeMetrics,
  ...timeMetrics,
  {
    name: 'seconds.whole',
    label: 'whole seconds',
    unit: 's',
    kind: 'count',
    better: 'higher',
    compared: null,
    hidden: true,
    source: 'the series of throughput, without its first and last second',
    deriveFromSeries: (series) => (series.has('tps') ? wholeSeconds(series.get('tps')).length : null),
  },
  {
    name: 'seconds.silent',
    label: 'longest time without a transaction',
    unit: 's',
    kind: 'count',
    better: 'lower',
    compared: null,
    hidden: true,
    source: 'the most consecutive seconds without a transaction, in the series of throughput',
    deriveFromSeries: (series) => (series.has('tps') ? longestSilence(series.get('tps') ?? []) : null),
  },
  {
    name: 'seconds.startUp',
    label: 'start-up phase',
    unit: 's',
    kind: 'count',
    better: 'lower',
    compared: null,
    hidden: true,
    source: 'MSER-5, guarded against stalls, on the series of throughput; null if it finds no steady part',
    deriveFromSeries: (series) => startThatDiffers(wholeSeconds(series.get('tps')).map(({ value }) => value)),
  },
  {
    name: 'seconds.startRatio',
    label: 'throughput of the first quarter divided by that of the rest',
    unit: '1',
    kind: 'rate',
    better: 'higher',
    compared: null,
    hidden: true,
    source: 'means of the first quarter of the whole seconds and of the others, in the series of throughput',
    deriveFromSeries: (series) => startByRest(wholeSeconds(series.get('tps')).map(({ value }) => value)),
  },
];
