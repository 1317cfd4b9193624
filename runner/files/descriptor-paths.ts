import { existsSync } from 'node:fs';

/**
 * Whether a path may go by a descriptor, as Linux allows. Node cannot open a file relative to an open folder; this can, and
 * then nobody can lead it elsewhere by changing the path in the meantime.
 */
const hasDescriptorPaths = existsSync('/proc/self/fd/.');

/** A path to what a descriptor is open for: by the descriptor where the system can, otherwise as it was named. */
export function pathBy(descriptor: number, named: string): string {
  return hasDescriptorPaths ? `/proc/self/fd/${descriptor}` : named;
}
