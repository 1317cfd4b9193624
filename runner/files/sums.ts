import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { atOnce, type InParts, partByPart } from './in-parts.ts';
import { openFile, readTextIfThere } from './read.ts';
import { nameFile, unreadable, UserError } from '../contract/errors.ts';
import { ChangedFileError } from '../contract/versioned-file.ts';
import { inFolder, type KnownFolder, withFileIn } from './open-folder.ts';

type Algorithm = 'sha1' | 'sha256';

/**
 * Hash of the content of a file, in hexadecimal digits. It blocks this process, so use it only for files that are not
 * large.
 */
export function hashOfFile(file: string): string {
  return atOnce(hashing(file));
}

/**
 * The same for a file of any size.
 *
 * @param signal aborts it; the signal's reason is thrown
 */
export function hashOfLargeFile(file: string, signal: AbortSignal, algorithm?: Algorithm): Promise<string> {
  return partByPart(hashing(file, algorithm), signal);
}

/** Reads part by part, since a file may be larger than the memory. */
export function* hashing(file: string, algorithm: Algorithm = 'sha256'): InParts<string> {
  const { descriptor } = openFile(file);
  try {
    const hash = createHash(algorithm);
    const part = Buffer.allocUnsafe(2 ** 20);
    for (;;) {
      const count = readSync(descriptor, part, 0, part.length, null);
      if (count === 0) return hash.digest('hex');
      hash.update(part.subarray(0, count));
      yield;
    }
  } catch (error) {
    throw nameFile(error, file);
  } finally {
    closeSync(descriptor);
  }
}

/** The manifest of a folder, as `sha256sum` writes and checks it. */
export const sumsFile = 'SHA256SUMS';

/** A run of a week has a few thousand files. Looking for each name in a longer manifest would take minutes. */
const maxFiles = 100_000;

/** SHA-256 of files in hexadecimal digits, by their names relative to the folder, such as `trials/001/trial.json`. */
export type Sums = ReadonlyMap<string, string>;

/** Whether a file matches the manifest; `unsealed` if the manifest does not name it. */
export type Agreement = 'agrees' | 'changed' | 'unsealed';

/** @param sums null for a folder without a manifest: there, nothing contradicts any file */
export function agreementOf(sums: Sums | null, name: string, data: Uint8Array): Agreement {
  if (!sums) return 'agrees';
  const sum = sums.get(name);
  return sum === undefined ? 'unsealed' : sum === sumOf(data) ? 'agrees' : 'changed';
}

/** What is wrong with a file that has a manifest beside it; null if the two agree. */
export function disagreementOf(source: string, agreement: Agreement): ChangedFileError | null {
  if (agreement === 'agrees') return null;
  const what = agreement === 'changed' ? 'was changed' : `was added, or its line was removed from ${sumsFile}`;
  return new ChangedFileError(source, what);
}

/** SHA-256 in hexadecimal digits. */
export function sumOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * The manifest of a folder; null if it has none.
 *
 * @throws {UserError} if it is damaged, or cannot be read
 */
export function readSums(folder: string): Sums | null {
  const file = path.join(folder, sumsFile);
  const text = readOrRefuse(file);
  return text === null ? null : parseSums(text, file);
}

function readOrRefuse(file: string): string | null {
  try {
    return readTextIfThere(file, { links: 'refused' });
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * Reads what `sumsText` or `sha256sum` wrote.
 *
 * @param source path or address, for messages
 * @throws {UserError} with the line if it is damaged
 */
export function parseSums(text: string, source: string): Sums {
  const sums = new Map<string, string>();
  const lines = text.split('\n');
  const rest = lines.pop();
  if (lines.length > maxFiles) {
    throw new UserError(
      `${source} names ${lines.length.toLocaleString('en')} files; no run has more than ${maxFiles.toLocaleString('en')}. Restore the original file.`,
    );
  }
  for (const [index, line] of [...lines, ...(rest === '' ? [] : ['a truncated line'])].entries()) {
    const [, escaped, sum, name] = /^(\\?)([0-9a-f]{64}) [ *](.+)$/s.exec(line) ?? [];
    const plain = name === undefined || escaped === '' ? name : unescapedName(name);
    if (sum === undefined || plain === undefined || sums.has(plain) || leadsOut(plain)) {
      throw new UserError(
        `${source}:${index + 1} is damaged: "${line.slice(0, 200)}"; expected a SHA-256, two spaces and the name of a file in this folder, each file once. Restore the original file.`,
      );
    }
    sums.set(plain, sum);
  }
  return sums;
}

function leadsOut(name: string): boolean {
  return path.isAbsolute(name) || name.split('/').includes('..');
}

/** A line for each file, sorted by name. */
export function sumsText(sums: Sums): string {
  const names = [...sums.keys()].sort();
  return names.map((name) => `${lineOf(name, sums.get(name) ?? '')}\n`).join('');
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** `sha256sum` marks a line whose name has such characters with a backslash at its beginning. */
function lineOf(name: string, sum: string): string {
  const escaped = name.replace(/[\\\n\r]/g, (character) => escapes[character] ?? character);
  return `${escaped === name ? '' : '\\'}${sum}  ${escaped}`;
}

function unescapedName(name: string): string {
  return name.replace(/\\([\\nr])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 'r' ? '\r' : '\\'));
}

/**
 * SHA-256 of a file of any size, read part by part.
 *
 * @param root a folder
 * @param name of the file in it; no link below the folder is followed
 * @param signal ends it
 * @returns null if there is no such file
 * @throws {UserError} if something other than a file has this name
 */
export async function sumOfFileIn(
  root: string | KnownFolder,
  name: string,
  signal?: AbortSignal,
): Promise<string | null> {
  return withFileIn(root, name, async (handle) => {
    const hash = createHash('sha256');
    await pipeline(handle.createReadStream({ autoClose: false, highWaterMark: 2 ** 20 }), hash, { signal });
    return hash.digest('hex');
  });
}

/** So many files are synced at a time: the file system then writes its journal once for several of them. */
const syncedTogether = 16;

/**
 * SHA-256 of files, once they and the folders down to them are on the disk, whoever wrote them. A manifest of these names
 * nothing that a power cut can take away.
 *
 * @param names of the files in the folder; those that are not there are left out
 * @throws as sumOfFileIn
 */
export async function durableSumsIn(root: KnownFolder, names: readonly string[]): Promise<Map<string, string>> {
  const found: string[] = [];
  for (let first = 0; first < names.length; first += syncedTogether) {
    const syncing = names.slice(first, first + syncedTogether).map(async (name) => {
      const isThere = await withFileIn(root, name, (handle) => handle.sync().then(() => true));
      if (isThere) found.push(name);
    });
    await Promise.all(syncing);
  }
  for (const inside of foldersDownTo(found)) await inFolder(root, inside, {}, (opened) => opened.sync());
  const sums = new Map<string, string>();
  for (const name of found) {
    const sum = await sumOfFileIn(root, name);
    if (sum !== null) sums.set(name, sum);
  }
  return sums;
}

/** Each folder on the way to some of the files, as the names that lead to it, innermost first. */
function foldersDownTo(files: readonly string[]): string[][] {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const parts = file.split('/');
    for (let depth = parts.length - 1; depth >= 0; depth -= 1) {
      const inside = parts.slice(0, depth);
      folders.set(inside.join('/'), inside);
    }
  }
  return [...folders.values()].sort((a, b) => b.length - a.length);
}
