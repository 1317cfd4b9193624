import { existsSync } from 'node:fs';
import { missingPrograms } from '../../../runner/places/local/volumes/programs.ts';

/** Why tests can make no limited volume here; null if they can. */
export const whyNoVolumes =
  process.platform !== 'linux'
    ? 'needs Linux'
    : process.getuid?.() !== 0
      ? 'needs root'
      : missingPrograms().length > 0
        ? `needs ${missingPrograms().join(', ')}`
        : ['/dev/fuse', '/dev/loop-control'].some((device) => !existsSync(device))
          ? 'needs /dev/fuse and loop devices'
          : null;
