import { open, stat } from 'node:fs/promises';
import { UserError } from '../../contract/errors.ts';
import type { FollowedLog } from '../../contract/server-log.ts';

/** Enough to see what a server had begun to do. The whole log may be gigabytes long. */
const bytesBefore = 256 * 1024;

/**
 * Follows a log that a server only appends to.
 *
 * @throws {UserError} if it cannot be read
 */
export async function followLog(file: string): Promise<FollowedLog> {
  const { size } = await unlessUnreadable(file, () => stat(file));
  return {
    bytes: () => unlessUnreadable(file, async () => (await stat(file)).size - size),
    lines: (isWanted) =>
      unlessUnreadable(file, async () => {
        const wanted: string[] = [];
        const log = await open(file);
        for await (const line of log.readLines({ start: Math.max(0, size - bytesBefore) })) {
          if (isWanted(line)) wanted.push(line);
        }
        return wanted;
      }),
  };
}

async function unlessUnreadable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
