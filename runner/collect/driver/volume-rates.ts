import type { ServerVolume } from '../../contract/server-volume.ts';
import type { DeviceCounters } from './block-device.ts';

/** What a volume did over some time, per second. null if nothing of it was done, or if it is not limited. */
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

/** An I/O of more bytes counts as several, as at Amazon EBS (places/local/volumes/throttle.ts sets the same). */
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
 * Requests that only flush, as fdatasync makes them: Linux counts each of them as a write, but the throttle below lets them
 * pass. That the device was asked to flush is counted, too; a commit of the journal makes it flush twice without such a
 * request, as loop devices have no forced writes (FUA).
 *
 * Tried on Linux 6.18 with ext4 on a loop device, 8 KiB each: 100 fdatasync after writes in place counted 200 writes, 100
 * flushes, no commit; 100 fsync after appends counted 300 writes, 200 flushes, 100 commits. Writers that flush at the same
 * moment share flushes: 4 of them with 400 writes counted 800 writes and 241 flushes. So what is found is too few then, and
 * the writes are too many. The storage daemon does not count what comes over NBD (query-blockstats stays at 0).
 */
function emptyFlushes({ flushes, journalCommits }: DeviceCounters): number {
  return Math.max(0, flushes - 2 * journalCommits);
}
