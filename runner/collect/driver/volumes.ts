import type { Metric, SeriesRow } from '../../contract/metric.ts';
import { memberName, type MembersTable } from '../../contract/metric-family.ts';
import type { ServerVolume } from '../../contract/server-volume.ts';
import { absent, tellsNothing } from '../absent.ts';
import type { Collector, Findings } from '../collector.ts';
import { type Counters, ratesOf } from '../rates.ts';
import { type Sample, startSampler } from '../sampler.ts';
import { type DeviceCounters, readDevice } from './block-device.ts';
import { type VolumeRates, volumeRates } from './volume-rates.ts';

const source = 'counters of the block device of a limited volume on this machine, every second';
const shown = { better: 'lower', compared: null, source } as const;
const perSecond = { ...shown, unit: '1/s', kind: 'rate' } as const;
const bytes = { ...shown, unit: 'B/s', kind: 'bytes' } as const;
const latency = { ...shown, unit: 's', kind: 'latency' } as const;
const share = { ...shown, unit: '1', kind: 'share' } as const;

const labelled = (column: string) => ({ label: `<volume> volume: ${column}`, column });

/** A family for each of the rates. */
const ofRates: Record<keyof VolumeRates, Metric> = {
  reads: { ...perSecond, name: 'volumes.<volume>.reads', ...labelled('reads per second') },
  writes: {
    ...perSecond,
    name: 'volumes.<volume>.writes',
    ...labelled('writes per second'),
    source: `${source}; without requests that only flush, except for those that shared a flush with others`,
  },
  flushes: { ...perSecond, name: 'volumes.<volume>.flushes', ...labelled('flushes per second') },
  bytesRead: { ...bytes, name: 'volumes.<volume>.bytesRead', ...labelled('read per second') },
  bytesWritten: { ...bytes, name: 'volumes.<volume>.bytesWritten', ...labelled('written per second') },
  queue: {
    ...shown,
    unit: '1',
    kind: 'rate',
    name: 'volumes.<volume>.queue',
    ...labelled('mean I/Os under way'),
  },
  busy: { ...share, name: 'volumes.<volume>.busy', ...labelled('time with any I/O under way') },
  readLatency: { ...latency, name: 'volumes.<volume>.readLatency', ...labelled('mean time of a read') },
  writeLatency: { ...latency, name: 'volumes.<volume>.writeLatency', ...labelled('mean time of a write') },
  flushLatency: { ...latency, name: 'volumes.<volume>.flushLatency', ...labelled('mean time of a flush') },
  iopsShare: {
    ...share,
    name: 'volumes.<volume>.iopsShare',
    ...labelled('IOPS by their limit'),
    source: `${source}; an I/O of more than 256 KiB counts as several`,
  },
  throughputShare: {
    ...share,
    name: 'volumes.<volume>.throughputShare',
    ...labelled('throughput by its limit'),
  },
};
const iopsLimit: Metric = {
  ...perSecond,
  name: 'volumes.<volume>.iopsLimit',
  ...labelled('limit of IOPS'),
  better: 'higher',
  hidden: true,
  source: 'the experiment',
};
const limitReached: Metric = {
  ...share,
  compared: 'difference',
  name: 'volumes.<volume>.limitReached',
  ...labelled('seconds at its limit'),
  source: `${source}; share of the seconds with at least 95 % of the limit of IOPS or of throughput`,
};

const table: MembersTable = {
  id: 'volumes',
  title: 'Volumes, against their limits',
  what: 'volume',
  placeholder: '<volume>',
  inTerminal: true,
  first: ['writes', 'iopsShare', 'limitReached', 'writeLatency'],
  notes: [
    'From the counters of the block device. The limiter counts a large I/O as several, so it may be reached a little below 100 %.',
  ],
};

const atLimit = 0.95;

/** I/O of the server's volumes, each by its name, where the volumes are limited ones of this machine. */
export const volumes: Collector = {
  name: 'volumes',
  optional: true,
  metrics: [...Object.values(ofRates), iopsLimit, limitReached],
  tables: [table],
  start(trial) {
    const placed = trial.volumes?.filter(({ device }) => device !== null) ?? [];
    if (placed.length === 0) {
      const reason = trial.volumes
        ? 'the volumes are plain folders, on a disk that others use, too'
        : 'the volumes are not on this machine';
      return Promise.resolve(tellsNothing(volumes.name, reason));
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
    return ofVolume(own, volume, startedAt);
  });
  return {
    measures: Object.assign({}, ...found.map(({ measures }) => measures)) as Record<string, number>,
    series: found.flatMap(({ series }) => series),
  };
}

function ofVolume(samples: readonly Sample<Counters>[], volume: ServerVolume, startedAt: Date) {
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

/** A counter that went backwards has no rate: a volume that was made anew is not known then. */
function isWhole(counters: Record<string, number>): counters is Record<string, number> & DeviceCounters {
  return (['reads', 'writes', 'flushes', 'queueTime', 'journalCommits'] as const).every((name) => name in counters);
}

/** The rates by the names of their metrics, without those that are not known. */
function named(rates: VolumeRates, { name }: ServerVolume): Record<string, number> {
  return Object.fromEntries(
    Object.entries(rates).flatMap(([rate, value]: [string, number | null]) =>
      value === null ? [] : [[memberName(ofRates[rate as keyof VolumeRates], name), value] as const],
    ),
  );
}
