import { memberName, type MembersTable, type Metric, type SeriesRow } from '../../contract/metric.ts';
import type { ServerVolume } from '../../contract/server.ts';
import { absent, emptyCollection } from '../absent.ts';
import type { Collector, Findings } from '../collector.ts';
import { type Amount, metric } from '../metric.ts';
import { type Counters, ratesOf, type Sample, startSampler } from '../sampler.ts';
import { type DeviceCounters, readDevice } from './block-device.ts';

const source = 'counters of the block device of a limited volume on this machine, every second';
/** A family for each of the rates. */
const rateMetrics: Record<keyof VolumeRates, Metric> = {
  reads: family('perSecond', 'reads', 'reads per second'),
  writes: family('perSecond', 'writes', 'writes per second', {
    source: `${source}; without requests that only flush, except those that shared a flush`,
  }),
  flushes: family('perSecond', 'flushes', 'flushes per second'),
  bytesRead: family('bytesPerSecond', 'bytesRead', 'read per second'),
  bytesWritten: family('bytesPerSecond', 'bytesWritten', 'written per second'),
  queue: family('average', 'queue', 'mean I/Os under way'),
  busy: family('share', 'busy', 'time with any I/O under way'),
  readLatency: family('latency', 'readLatency', 'mean time of a read'),
  writeLatency: family('latency', 'writeLatency', 'mean time of a write'),
  flushLatency: family('latency', 'flushLatency', 'mean time of a flush'),
  iopsShare: family('share', 'iopsShare', 'IOPS, share of the limit', {
    source: `${source}; an I/O of more than 256 KiB counts as several`,
  }),
  throughputShare: family('share', 'throughputShare', 'throughput, share of the limit'),
};
const iopsLimit = family('perSecond', 'iopsLimit', 'IOPS limit', {
  better: 'higher',
  hidden: true,
  source: 'the experiment',
});
const limitReached = family('share', 'limitReached', 'seconds at its limit', {
  compared: 'difference',
  source: `${source}; share of seconds at 95% or more of a limit`,
});

function family(amount: Amount, name: string, column: string, rest: Partial<Metric> = {}): Metric {
  return metric(amount, `volumes.<volume>.${name}`, `<volume> volume: ${column}`, { source, column, ...rest });
}

const table: MembersTable = {
  id: 'volumes',
  title: 'Volumes, against their limits',
  what: 'volume',
  placeholder: '<volume>',
  inTerminal: true,
  first: ['writes', 'iopsShare', 'limitReached', 'writeLatency'],
  notes: [
    'From the counters of the block device. The limiter counts a large I/O as several, so it may be reached a little below 100%.',
  ],
};

const atLimit = 0.95;

/** I/O of the server's volumes, by volume name, if they are limited volumes on this machine. */
export const volumes: Collector = {
  name: 'volumes',
  optional: true,
  metrics: [...Object.values(rateMetrics), iopsLimit, limitReached],
  tables: [table],
  start(trial) {
    const placed = trial.volumes?.filter(({ device }) => device !== null) ?? [];
    if (placed.length === 0) {
      const reason = trial.volumes
        ? 'the volumes are plain folders on a shared disk'
        : 'the volumes are not on this machine';
      return Promise.resolve(emptyCollection(volumes.name, reason));
    }
    const sampler = startSampler(1, () => new Map(placed.map((one) => [one.name, readDevice(one.device ?? '')])));
    return Promise.resolve({
      async stop({ startedAt }) {
        const { samples, failure } = await sampler.stop({ last: true });
        if (failure) return absent(volumes.name, failure.message);
        return findingsOf(samples, placed, startedAt);
      },
    });
  },
};

/** @param samples in order of time, by the name of the volume */
export function findingsOf(
  samples: readonly Sample<ReadonlyMap<string, DeviceCounters>>[],
  placed: readonly ServerVolume[],
  startedAt: Date,
): Findings {
  const found = placed.map((volume) => {
    const own = samples.flatMap(({ at, value }) => ({ at, value: { ...value.get(volume.name) } }));
    return volumeFindings(own, volume, startedAt);
  });
  return {
    measures: Object.assign({}, ...found.map(({ measures }) => measures)) as Record<string, number>,
    series: found.flatMap(({ series }) => series),
  };
}

function volumeFindings(samples: readonly Sample<Counters>[], volume: ServerVolume, startedAt: Date) {
  const { measures, series } = ratesOf(samples, startedAt);
  const bySecond = new Map<number, Record<string, number>>();
  for (const { second, name, value } of series) bySecond.set(second, { ...bySecond.get(second), [name]: value });
  const seconds = [...bySecond].flatMap(([second, counters]) =>
    isWhole(counters) ? { second, rates: volumeRates(counters, volume) } : [],
  );
  const limited = volume.iopsLimit !== null || volume.throughputLimit !== null;
  const reached = seconds.filter(
    ({ rates: { iopsShare, throughputShare } }) => Math.max(iopsShare ?? 0, throughputShare ?? 0) >= atLimit,
  );
  return {
    measures: {
      ...(isWhole(measures) ? named(volumeRates(measures, volume), volume) : {}),
      ...(volume.iopsLimit !== null && { [memberName(iopsLimit, volume.name)]: volume.iopsLimit }),
      ...(limited &&
        seconds.length > 0 && { [memberName(limitReached, volume.name)]: reached.length / seconds.length }),
    },
    series: seconds.flatMap(({ second, rates }) =>
      Object.entries(named(rates, volume)).map(([name, value]): SeriesRow => ({ second, name, value })),
    ),
  };
}

/** Whether every counter has a rate. A counter that went backwards has none: the volume was made anew. */
function isWhole(counters: Record<string, number>): counters is Record<string, number> & DeviceCounters {
  return (['reads', 'writes', 'flushes', 'queueTime', 'journalCommits'] as const).every((name) => name in counters);
}

/** The rates by the names of their metrics, without unknown ones. */
function named(rates: VolumeRates, { name }: ServerVolume): Record<string, number> {
  return Object.fromEntries(
    Object.entries(rates).flatMap(([rate, value]: [string, number | null]) =>
      value === null ? [] : [[memberName(rateMetrics[rate as keyof VolumeRates], name), value] as const],
    ),
  );
}

/**
 * What a volume did per second. A latency is null if the volume did no such I/O; a share is null if it has no limit.
 */
export interface VolumeRates {
  reads: number;
  /** Without requests that only flush. */
  writes: number;
  flushes: number;
  bytesRead: number;
  bytesWritten: number;
  /** Mean number of I/Os under way. */
  queue: number;
  /** Share of the time in which anything was under way. */
  busy: number;
  /** Mean seconds of one I/O. */
  readLatency: number | null;
  writeLatency: number | null;
  flushLatency: number | null;
  iopsShare: number | null;
  throughputShare: number | null;
}

/** A larger I/O counts as several, as with Amazon EBS (places/local/volumes/storage-daemon.ts sets the same size). */
const countedBytes = 256 * 1024;

/**
 * @param perSecond counters of the device per second, by their names
 */
export function volumeRates(perSecond: DeviceCounters, volume: ServerVolume): VolumeRates {
  const { reads, bytesRead, bytesWritten, flushes, queueTime, busyTime } = perSecond;
  const empty = emptyFlushes(perSecond);
  const writes = Math.max(0, perSecond.writes - empty);
  // A request that only flushes is timed as a write and as a flush.
  const timedTwice = flushes > 0 ? perSecond.flushTime * Math.min(1, empty / flushes) : 0;
  const counted = Math.max(reads + writes, (bytesRead + bytesWritten) / countedBytes);
  const mean = (time: number, number: number): number | null => (number > 0 ? Math.max(0, time) / number : null);
  const shareOf = (value: number, limit: number | null): number | null => (limit === null ? null : value / limit);
  return {
    reads,
    writes,
    flushes,
    bytesRead,
    bytesWritten,
    queue: Math.max(0, queueTime - timedTwice),
    busy: Math.min(1, busyTime),
    readLatency: mean(perSecond.readTime, reads),
    writeLatency: mean(perSecond.writeTime - timedTwice, writes),
    flushLatency: mean(perSecond.flushTime, flushes),
    iopsShare: shareOf(counted, volume.iopsLimit),
    throughputShare: shareOf(bytesRead + bytesWritten, volume.throughputLimit),
  };
}

/**
 * The number of requests that only flush, as fdatasync makes them. Linux counts each of them as a write, but the
 * throttle below lets them pass. Linux also counts the flushes of the device. A commit of the journal causes two
 * flushes without such a request, since loop devices have no forced writes (FUA).
 *
 * Tried on Linux 6.18 with ext4 on a loop device, 8 KiB each. 100 fdatasync after writes in place counted 200 writes,
 * 100 flushes and no commit. 100 fsync after appends counted 300 writes, 200 flushes and 100 commits. Writers that
 * flush at the same moment share flushes: 4 of them with 400 writes counted 800 writes and 241 flushes. The result is
 * then too low, and the writes are too high. The storage daemon does not count requests over NBD (query-blockstats
 * stays at 0).
 */
function emptyFlushes({ flushes, journalCommits }: DeviceCounters): number {
  return Math.max(0, flushes - 2 * journalCommits);
}
