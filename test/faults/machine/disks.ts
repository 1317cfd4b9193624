import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Paths that are mounted below a folder. */
export function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .filter((mountPoint) => mountPoint.startsWith(`${folder}/`));
}

/** Loop devices whose file is below a folder. */
export function loopDevicesBelow(folder: string): string[] {
  return readdirSync('/sys/block').filter((name) => {
    try {
      return readFileSync(`/sys/block/${name}/loop/backing_file`, 'utf8').startsWith(`${folder}/`);
    } catch {
      return false;
    }
  });
}

/** A small disk in memory. */
export function mountSmallDisk(folder: string, sizeMib: number, mode: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=${mode}`, 'faults', folder]);
}

export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder]);
}

export function detach(loopDevice: string): void {
  execFileSync('losetup', ['--detach', `/dev/${loopDevice}`]);
}

export const fillerFile = '.filler';

/** Writes a file until the disk has no room left. */
export function fill(folder: string): void {
  const filler = openSync(path.join(folder, fillerFile), 'w');
  for (let chunk = 1 << 20; chunk >= 4096; chunk >>= 1) {
    const block = Buffer.alloc(chunk);
    try {
      while (statfsSync(folder).bavail > 0) writeSync(filler, block);
    } catch {
      // Not even this much fits; perhaps less does.
    }
  }
  closeSync(filler);
}
