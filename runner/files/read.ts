import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { hasCode, nameFile, UserError } from '../contract/errors.ts';
import { kindOf } from './look.ts';
import { type KnownFolder, withFileIn } from './open-folder.ts';
import { chosen, quantity } from '../contract/format.ts';

/** Larger than any file that pgduet reads as a whole, and small enough for the memory of a small machine. */
export const maxBytes = 256 * 1024 ** 2;

/** Larger files, such as dumps and programs, are linked to instead of copied: a copy takes room and time. */
export const largestCopy = 16 * 2 ** 20;

export interface ReadOptions {
  /** Files with more bytes are refused. @default maxBytes */
  max?: number;
  /** Whether the file may be a symbolic link: yes if the user has named it, but not if others may have made it. */
  links?: 'followed' | 'refused';
}

/**
 * Reads a whole file. Whatever has this name, such as a pipe or a device, this neither blocks nor reads without end.
 *
 * @throws {UserError} if it is not a file, such as a pipe or a device, or a link that is refused; or if it is too large
 * @throws the system's error if there is no such file, or it may not be read
 */
export function readFileWhole(file: string, { max = maxBytes, ...options }: ReadOptions = {}): Buffer {
  const { descriptor, size } = openFile(file, options);
  try {
    if (size > max) {
      throw new UserError(`${file} has ${chosen(size, 'bytes')}; pgduet reads at most ${quantity(max, 'bytes')}.`);
    }
    return readAll(descriptor, { file, size, max });
  } catch (error) {
    throw nameFile(error, file);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The same for a file below a folder. Links below the folder are refused.
 *
 * @param name relative to the folder, such as `trials/001/trial.json`
 */
export function readFileIn(folder: string, name: string): Buffer {
  let at = folder;
  for (const part of path.dirname(name).split(path.sep)) {
    at = path.join(at, part);
    if (at !== folder && lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) throw linkRefused(at);
  }
  return readFileWhole(path.join(folder, name), { links: 'refused' });
}

/**
 * The beginning of a file below a folder, whoever changes the folder's path meanwhile. Links below the folder are refused.
 *
 * @returns at most as many bytes, and the file's permissions; null if there is no such file
 * @throws {UserError} if something other than a file has this name; if the path of the folder now leads elsewhere
 */
export function readPartIn(
  folder: KnownFolder,
  name: string,
  max: number,
): Promise<{ bytes: Uint8Array; mode: number } | null> {
  return withFileIn(folder, name, async (handle) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(max), 0, max, 0);
    return { bytes: buffer.subarray(0, bytesRead), mode: (await handle.stat()).mode };
  });
}

/** The same as text. */
export function readTextWhole(file: string, options: ReadOptions = {}): string {
  return readFileWhole(file, options).toString('utf8');
}

/** null if there is no such file. */
export function readTextIfThere(file: string, options: ReadOptions = {}): string | null {
  try {
    return readTextWhole(file, options);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Some bytes of a file; fewer if it ends earlier.
 *
 * @param from where they begin; if negative, this many bytes before the end of the file, or its beginning if it is
 *   shorter
 */
export function readPart(file: string, { from, bytes }: { from: number; bytes: number }): Buffer {
  const { descriptor, size } = openFile(file);
  try {
    const part = Buffer.alloc(bytes);
    return part.subarray(0, readSync(descriptor, part, 0, bytes, from < 0 ? Math.max(0, size + from) : from));
  } catch (error) {
    throw nameFile(error, file);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the beginning of a file that someone else may have put there, even on a volume that may hang. It does not block
 * in open(), which no signal interrupts: with a pipe that nobody writes to, this process could not even exit.
 *
 * @throws as readFileWhole, with links refused
 */
export async function readBeginning(file: string, max: number): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new UserError(`${file} is ${kindOf(found)}. Name a file.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(max), 0, max, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    throw nameFile(error, file);
  } finally {
    await handle.close();
  }
}

/**
 * Opens a file for reading, and returns its size. The caller closes it.
 *
 * @throws as readFileWhole
 */
export function openFile(
  file: string,
  { links = 'followed' }: Pick<ReadOptions, 'links'> = {},
): { descriptor: number; size: number } {
  // Without the second flag, opening a pipe would block.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (links === 'refused' ? constants.O_NOFOLLOW : 0);
  const descriptor = openOrRefuse(file, flags);
  try {
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw Object.assign(new Error('EISDIR: is a folder'), { code: 'EISDIR', syscall: 'read' });
    if (!found.isFile()) throw new UserError(`${file} is ${kindOf(found)}. Name a file.`);
    return { descriptor, size: found.size };
  } catch (error) {
    closeSync(descriptor);
    throw nameFile(error, file);
  }
}

function openOrRefuse(file: string, flags: number): number {
  try {
    return openSync(file, flags);
  } catch (error) {
    if (hasCode(error, 'ELOOP')) throw linkRefused(file);
    if (hasCode(error, 'ENXIO')) throw new UserError(`${file} is a socket. Name a file.`);
    throw error;
  }
}

function linkRefused(place: string): UserError {
  return new UserError(`${place} is a symbolic link, which pgduet does not follow. Remove it.`);
}

/** Files in /proc have no size, and a file may grow while it is read. */
function readAll(descriptor: number, { file, size, max }: { file: string; size: number; max: number }): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.max(size + 1 - total, 2 ** 16));
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, count));
    total += count;
    if (total > max)
      throw new UserError(`${file} has more than ${chosen(max, 'bytes')}; pgduet does not read larger files.`);
  }
}

/**
 * Reads a file of any size part by part. It does not block on a pipe, and does not read a device.
 *
 * @throws {UserError} if it is not a file; the system's error if it is not there, or may not be read
 */
export function readStream(
  file: string,
  { chunkBytes = 2 ** 16, ...options }: Pick<ReadOptions, 'links'> & { chunkBytes?: number } = {},
): Readable {
  const stream = createReadStream(file, { fd: openFile(file, options).descriptor, highWaterMark: chunkBytes });
  return stream.once('error', (error) => nameFile(error, file));
}

/**
 * Writes a new file. It is on the disk when the stream has ended.
 *
 * @throws the system's error if there is anything with this name, even a link that leads nowhere
 */
export function writeStream(file: string, { mode = 0o666 }: { mode?: number } = {}): Writable {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const stream = createWriteStream(file, { fd: openSync(file, flags, mode), flush: true });
  return stream.once('error', (error) => nameFile(error, file));
}
