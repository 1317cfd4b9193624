import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** What a block device has done since it came up, in I/Os, bytes and seconds. */
export interface DeviceCounters {
  reads: number;
  bytesRead: number;
  /** Sum of the times of all reads. */
  readTime: number;
  /** Including requests that only flush and carry no data: Linux counts them as writes, too. */
  writes: number;
  bytesWritten: number;
  writeTime: number;
  /** Time in which at least one I/O was under way. */
  busyTime: number;
  /** Sum of the times that all I/Os were under way. */
  queueTime: number;
  /** Flushes that the device received; several requests may share one. */
  flushes: number;
  flushTime: number;
  /** Commits of the journal of its ext4 file system. */
  journalCommits: number;
}

const sectorBytes = 512;

/**
 * Reads /sys/block/DEVICE/stat, see https://docs.kernel.org/block/stat.html.
 *
 * @throws if the text is something else
 */
export function parseDeviceStat(text: string): Omit<DeviceCounters, 'journalCommits'> {
  const numbers = text.trim().split(/\s+/).map(Number);
  if (numbers.length < 11 || numbers.some((one) => !Number.isFinite(one))) throw new Error(`no counters: ${text}`);
  const at = (column: number): number => numbers[column] ?? 0;
  return {
    reads: at(0),
    bytesRead: at(2) * sectorBytes,
    readTime: at(3) / 1000,
    writes: at(4),
    bytesWritten: at(6) * sectorBytes,
    writeTime: at(7) / 1000,
    busyTime: at(9) / 1000,
    queueTime: at(10) / 1000,
    // From Linux 5.5 on.
    flushes: at(15),
    flushTime: at(16) / 1000,
  };
}

/** Reads /proc/fs/jbd2/DEVICE-8/info, such as `131 transactions (130 requested), each up to 8192 blocks`. */
export function parseJournalCommits(text: string): number {
  return Number(/^(\d+) transactions/.exec(text)?.[1] ?? 0);
}

/**
 * @param device as MAJ:MIN
 * @throws if there is no such device
 */
export function readDevice(device: string): DeviceCounters {
  const folder = `/sys/dev/block/${device}`;
  return {
    ...parseDeviceStat(readFileSync(path.join(folder, 'stat'), 'utf8')),
    journalCommits: readJournalCommits(path.basename(readlinkSync(folder))),
  };
}

/** 0 if there is no such journal: the file system is another one, or the container may not see the journal. */
function readJournalCommits(name: string): number {
  try {
    // The journal of ext4 is its inode 8.
    return parseJournalCommits(readFileSync(`/proc/fs/jbd2/${name}-8/info`, 'utf8'));
  } catch {
    return 0;
  }
}
