import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Volumes } from './volume.ts';

/** Plain folders below `folder`: they have no limits, and share one disk. They are removed with the run's folder. */
export function folderVolumes(folder: string, why: string): Volumes {
  return {
    kind: 'folders',
    caveat: `Plain folders on one disk (${why}): data and WAL share it either way, so this run cannot show what a log volume does.`,
    create(request) {
      const volume = path.join(folder, request.name);
      mkdirSync(volume);
      // The servers' user must be able to reach its own folder below.
      chmodSync(volume, 0o711);
      return Promise.resolve({
        request,
        path: volume,
        limit: () => Promise.resolve(),
        verify: () => Promise.resolve(null),
        failed: new AbortController().signal,
        qmpSocket: null,
      });
    },
    remove: () => Promise.resolve(),
  };
}
