import type { SeriesPoint } from '../../contract/metric.ts';

/** Which device is the log volume, and how that was decided, as a phrase. */
export interface LogVolumeDevice {
  device: string | null;
  how: string;
}

/** Writes per second of a device, by the second of the trial. */
export type DeviceWrites = ReadonlyMap<string, readonly SeriesPoint[]>;

/** How far the means of minutes may be apart, relative to CloudWatch's, and how much better than any other device. */
const closeEnough = 0.1;
const clearlyBetter = 3;
/** A closer distance is chance: the minutes of the two sources are not quite the same. */
const least = 0.01;

/**
 * RDS documents no name for the device of a dedicated log volume: `rdsdbdata` (before: `rdsdev`) is the volume of the data,
 * `filesystem` that of the operating system. So a name that says log or WAL decides, and otherwise the writes: the device
 * whose writes of each minute are those that CloudWatch tells of the log volume.
 *
 * @param told CloudWatch's WriteIOPSLogVolume, each point for the minute that begins at its second
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Viewing.html for the names
 */
export function logVolumeDevice(writes: DeviceWrites, told: readonly SeriesPoint[]): LogVolumeDevice {
  const candidates = [...writes].filter(([device]) => !/^(rdsdev|rdsdbdata\d*|filesystem)$/.test(device));
  const named = candidates.filter(([device]) => /log|wal/i.test(device));
  const [byName] = named;
  if (byName && named.length === 1) return { device: byName[0], how: 'by its name' };
  if (told.length === 0) {
    return { device: null, how: 'no name tells it, and CloudWatch has no writes of the log volume to compare with' };
  }
  const fits = candidates
    .map(([device, points]) => ({ device, distance: distanceOf(points, told) }))
    .sort((a, b) => a.distance - b.distance);
  const [best, next] = fits;
  if (!best || best.distance > closeEnough) {
    return { device: null, how: 'no device has the writes that CloudWatch tells of the log volume' };
  }
  if (next && next.distance < Math.max(best.distance, least) * clearlyBetter && next.distance <= closeEnough) {
    return { device: null, how: `${best.device} and ${next.device} both have the writes of the log volume` };
  }
  return { device: best.device, how: 'by its writes, which are those that CloudWatch tells of the log volume' };
}

/** Mean of the relative distances of all minutes; infinite if the device was not seen in one. */
function distanceOf(points: readonly SeriesPoint[], told: readonly SeriesPoint[]): number {
  const distances = told.map(({ second, value }) => {
    const inMinute = points.filter((point) => point.second >= second && point.second < second + 60);
    if (inMinute.length === 0) return Infinity;
    const mean = inMinute.reduce((sum, point) => sum + point.value, 0) / inMinute.length;
    return Math.abs(mean - value) / Math.max(value, 1);
  });
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
}
