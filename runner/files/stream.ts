import { constants, createReadStream, createWriteStream, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { openFile, type ReadOptions } from './read.ts';

/**
 * Reads a file of any size part by part. A pipe is not waited for, and a device not read.
 *
 * @throws {UserError} if it is no file; the system's error if it is not there, or may not be read
 */
export function readStream(
  file: string,
  { chunkBytes = 2 ** 16, ...options }: Pick<ReadOptions, 'links'> & { chunkBytes?: number } = {},
): Readable {
  return createReadStream(file, { fd: openFile(file, options).descriptor, highWaterMark: chunkBytes });
}

/**
 * Writes a new file. It is on the disk when the stream has ended.
 *
 * @throws the system's error if there is anything of this name, even a link that leads nowhere
 */
export function writeStream(file: string, { mode = 0o666 }: { mode?: number } = {}): Writable {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  return createWriteStream(file, { fd: openSync(file, flags, mode), flush: true });
}
