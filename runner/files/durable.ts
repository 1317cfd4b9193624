import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { hasCode } from '../contract/errors.ts';

/**
 * Makes the names in an open folder durable: those that were added, changed and removed. A file that was synced may still
 * be gone after a power cut if the folder with its name was not.
 *
 * @throws the system's error
 */
export async function syncFolder(folder: Pick<FileHandle, 'sync'>): Promise<void> {
  await folder.sync().catch(unlessUnsupported);
}

/** The same by its path. */
export function syncFolderAt(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    unlessUnsupported(error);
  }
}

/** Some file systems, such as 9p, sync no folders; and nobody can sync a folder that he may change but not read. */
function unlessUnsupported(error: unknown): void {
  if (!hasCode(error, 'EINVAL', 'ENOTSUP', 'EACCES')) throw error;
}
