import type { ServerVolume } from '../../../contract/server-volume.ts';
import { mountsIn } from './mounts.ts';
import { throttleLimits } from './throttle.ts';
import type { Volume } from './volume.ts';

/** What is told of a server's volumes to who counts their I/O. The first one holds the data, the second one the WAL. */
export function serverVolumes(volumes: readonly Pick<Volume, 'request' | 'path' | 'qmpSocket'>[]): ServerVolume[] {
  return volumes.map(({ request, path: folder, qmpSocket }, index) => {
    const limits = throttleLimits(request);
    const isFolder = qmpSocket === null;
    const mount = isFolder ? undefined : mountsIn(folder).find((one) => one.path === folder);
    return {
      name: index === 0 ? 'data' : 'log',
      device: mount?.device ?? null,
      iopsLimit: isFolder ? null : limits['iops-total'] || null,
      throughputLimit: isFolder ? null : limits['bps-total'] || null,
    };
  });
}
