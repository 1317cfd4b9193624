import type { Stats } from 'node:fs';

/** What something in a folder is, in words such as `a symbolic link`. */
export function kindOf(found: Stats): string {
  if (found.isFile()) return 'a file';
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return 'a device';
}
