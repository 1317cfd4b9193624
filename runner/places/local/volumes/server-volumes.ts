import type { ServerVolume } from '../../../contract/server-volume.ts';
import { mountsIn } from './mounts.ts';
import { throttleLimits } from './throttle.ts';
import type { Volume } from './volume.ts';

/** What is told of a server's volumes to who counts their I/O: data, log, and those of its standbys. */
export function serverVolumes(volumes: readonly Pick<Volume, 'request' | 'path' | 'qmpSocket'>[]): ServerVolume[] {
  return volumes.map(({ request, path: folder, qmpSocket }) => {
    const limits = throttleLimits(request);
    const isFolder = qmpSocket === null;
    const mount = isFolder ? undefined : mountsIn(folder).find((one) => one.path === folder);
    return {
      // The name of a volume ends with what it holds, after that of its variant.
      name: request.name.slice(request.name.lastIndexOf('-') + 1),
      device: mount?.device ?? null,
      iopsLimit: isFolder ? null : limits['iops-total'] || null,
      throughputLimit: isFolder ? null : limits['bps-total'] || null,
    };
  });
}
