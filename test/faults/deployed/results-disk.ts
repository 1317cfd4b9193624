import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { mountSmallDisk, mountsBelow, unmount } from '../machine/disks.ts';
import { DiskAfterCuts } from '../power/power-cut.ts';
import { diskBytes, openRecordedDisk, type RecordedDisk } from '../power/recorded-disk.ts';

/** What the results of a run are on. */
export interface ResultsDisk {
  /** Leaves what a power cut leaves. Nothing uses it meanwhile. @param isKept draws whether a write that was not flushed is there */
  losePower(isKept: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export const ordinaryDisk: ResultsDisk = {
  losePower: () => Promise.reject(new Error('its writes were not recorded')),
  close: () => Promise.resolve(),
};

export function smallDisk(results: string): ResultsDisk {
  mountSmallDisk(results, 64, '755');
  return {
    ...ordinaryDisk,
    close() {
      unmount(results);
      return Promise.resolve();
    },
  };
}

/** @param beside a folder for its parts that is not the run's: what serves a disk is no process of the run */
export async function cuttableDisk(results: string, beside: string): Promise<ResultsDisk> {
  mkdirSync(beside);
  let recorded: RecordedDisk | null = await openRecordedDisk(path.join(beside, 'recorded'));
  execFileSync('mount', ['--bind', recorded.mountPoint, results]);
  const release = async (): Promise<void> => {
    if (mountsBelow(path.dirname(results)).includes(results)) unmount(results);
    recorded?.log.close();
    await recorded?.close();
    recorded = null;
  };
  return {
    async losePower(isKept) {
      if (!recorded) throw new Error('the power was cut before');
      const { log } = recorded;
      const image = path.join(beside, 'after-the-cut');
      new DiskAfterCuts(log, diskBytes).writeImage(log.readOn(), isKept, image);
      await release();
      // It asks all loop devices. One of a run beside this one may be stopped, until we let it go on.
      await promisify(execFile)('mount', ['-o', 'loop,noatime', image, results]);
      // A run is resumed only on the same kind of disk, which the kernel takes from what is below the file.
      const device = execFileSync('findmnt', ['--noheadings', '--output', 'SOURCE', results], { encoding: 'utf8' });
      writeFileSync(`/sys/block/${path.basename(device.trim())}/queue/rotational`, '0');
    },
    async close() {
      await release();
      rmSync(beside, { recursive: true });
    },
  };
}
