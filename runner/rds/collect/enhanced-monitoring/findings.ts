import { memberName, type SeriesPoint, type SeriesRow } from '../../../contract/metric.ts';
import { type Findings, secondOf } from '../../../collect/collector.ts';
import { bytesPerWrite, deviceMetrics, logBytesPerWrite, processors } from './metrics.ts';
import type { DeviceSample, OsSample } from './samples.ts';

const fields = Object.keys(deviceMetrics) as (keyof DeviceSample)[];

/**
 * Measures (means over all samples), and series by second.
 *
 * @param options.logVolumeWrites CloudWatch's writes to the log volume, by minute; null if there is no log volume
 */
export function findingsOf(
  samples: readonly OsSample[],
  { startedAt, logVolumeWrites }: { startedAt: Date; logVolumeWrites: readonly SeriesPoint[] | null },
): Findings {
  const series = samples.flatMap((sample): SeriesRow[] => {
    const second = secondOf(sample.at, startedAt);
    return [
      ...Object.entries(sample.cpu).map(([part, value]) => ({ second, name: memberName(processors, part), value })),
      ...[...sample.devices].flatMap(([device, of]) =>
        fields.map((field) => ({ second, name: memberName(deviceMetrics[field], device), value: of[field] })),
      ),
    ];
  });
  const measures = meansOf(series);
  const devices = [...new Set(samples.flatMap((sample) => [...sample.devices.keys()]))];
  for (const device of devices) {
    Object.assign(measures, operationMeans(device, samples));
  }
  const facts = { samples: samples.length, devices };
  if (logVolumeWrites === null) return { measures, series, facts: { enhancedMonitoring: facts } };
  const writes = new Map(
    devices.map((device) => [device, series.filter(({ name }) => name === memberName(deviceMetrics.writes, device))]),
  );
  const logVolume = logVolumeDevice(writes, logVolumeWrites);
  const perWrite = logVolume.device === null ? undefined : measures[memberName(bytesPerWrite, logVolume.device)];
  return {
    measures: { ...measures, ...(perWrite === undefined ? {} : { [logBytesPerWrite.name]: perWrite }) },
    series,
    facts: { enhancedMonitoring: { ...facts, logVolume } },
  };
}

function meansOf(series: readonly SeriesRow[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { name, value } of series) {
    const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
    sums.set(name, { sum: sum + value, count: count + 1 });
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}

/** Means over all operations, not over the samples: most operations may fall into few samples. */
function operationMeans(device: string, samples: readonly OsSample[]): Record<string, number> {
  const all = samples.flatMap((sample) => sample.devices.get(device) ?? []);
  const sum = (of: (sample: DeviceSample) => number): number => all.reduce((total, one) => total + of(one), 0);
  const [writes, operations] = [sum((one) => one.writes), sum((one) => one.reads + one.writes)];
  return {
    ...(writes > 0 ? { [memberName(bytesPerWrite, device)]: sum((one) => one.writeBytes) / writes } : {}),
    ...(operations > 0
      ? {
          [memberName(deviceMetrics.await, device)]: sum((one) => one.await * (one.reads + one.writes)) / operations,
        }
      : {}),
  };
}

/** Which device is the log volume, and a phrase that says how pgduet decided. */
export interface LogVolumeDevice {
  device: string | null;
  how: string;
}

/** Writes per second of a device, by the second of the trial. */
export type DeviceWrites = ReadonlyMap<string, readonly SeriesPoint[]>;

/**
 * How far the means per minute may be from CloudWatch's, relative to those, and how much closer than any other
 * device's.
 */
const closeEnough = 0.1;
const clearlyBetter = 3;
/** A smaller distance is chance: the minutes of the two sources do not match exactly. */
const min = 0.01;

/**
 * RDS documents no name for the device of a dedicated log volume. `rdsdbdata` (formerly `rdsdev`) is the volume of the
 * data, and `filesystem` that of the operating system. So a name that contains log or WAL decides. If there is none, it
 * is the device whose writes per minute match those that CloudWatch reports for the log volume.
 *
 * @param reported CloudWatch's WriteIOPSLogVolume, each point for the minute that begins at its second
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Viewing.html for the names
 */
export function logVolumeDevice(writes: DeviceWrites, reported: readonly SeriesPoint[]): LogVolumeDevice {
  const candidates = [...writes].filter(([device]) => !/^(rdsdev|rdsdbdata\d*|filesystem)$/.test(device));
  const named = candidates.filter(([device]) => /log|wal/i.test(device));
  const [byName] = named;
  if (byName && named.length === 1) return { device: byName[0], how: 'by its name' };
  if (reported.length === 0) {
    return {
      device: null,
      how: 'no name identifies it, and CloudWatch has no writes to the log volume to compare with',
    };
  }
  const fits = candidates
    .map(([device, points]) => ({ device, distance: distanceOf(points, reported) }))
    .sort((a, b) => a.distance - b.distance);
  const [best, next] = fits;
  if (!best || best.distance > closeEnough) {
    return { device: null, how: 'no device matches the log-volume writes in CloudWatch' };
  }
  if (next && next.distance < Math.max(best.distance, min) * clearlyBetter && next.distance <= closeEnough) {
    return {
      device: null,
      how: `${best.device} and ${next.device} both match the log-volume writes in CloudWatch`,
    };
  }
  return { device: best.device, how: 'by its writes, which match the log-volume writes in CloudWatch' };
}

/** Mean of the relative distances over all minutes; infinite if the device is missing from one of them. */
function distanceOf(points: readonly SeriesPoint[], reported: readonly SeriesPoint[]): number {
  const distances = reported.map(({ second, value }) => {
    const inMinute = points.filter((point) => point.second >= second && point.second < second + 60);
    if (inMinute.length === 0) return Infinity;
    const mean = inMinute.reduce((sum, point) => sum + point.value, 0) / inMinute.length;
    return Math.abs(mean - value) / Math.max(value, 1);
  });
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
}
