import path from 'node:path';
import { hasCode, UserError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import type { RunHashes } from '../contract/run-hashes.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { readPartIn } from '../files/read.ts';
import { readSums, sumOf, sumOfFileIn, type Sums, sumsFile } from '../files/sums.ts';
import { inputFilesFolder, runFiles } from './run-files.ts';

/** What the folder of a run has for whoever wants to repeat or to check it. */
export interface KeptRun {
  /** Its folder, or its address in S3, as the user would write it. */
  location: string;
  hashes: RunHashes;
  /** The experiment file first, then the files that it names. */
  inputs: KeptInput[];
}

/** A file that a run was made from. */
export interface KeptInput {
  /** In the folder of the run, such as `inputs/files/quick.yaml`. */
  name: string;
  /** Relative to the experiment file, as it names it. */
  named: string;
  sha256: string;
  /** null if a page must not hand it on: it is large, is not what the run was made from, or not everybody may read it. */
  bytes: Uint8Array | null;
  /** Why there are no bytes, in words; empty if there are. */
  why: string;
}

export const nothingKept: KeptRun = {
  location: './',
  hashes: { manifest: null, result: null, experiment: null },
  inputs: [],
};

/** The group and everybody else. */
const othersMayRead = 0o044;

const notForAll = 'it is not part of this page, because fewer people may read it than the rest of the results';

/** An experiment and a few scripts have some kilobytes. */
export const maxInputBytes = 256 * 2 ** 10;

/**
 * Reads the files that a run was made from, as its manifest names them: no other name in a result is followed, since a
 * result may come from anybody.
 *
 * @param location of the run, as the user would write it
 * @throws {UserError} if the manifest is damaged
 */
export async function readKept(
  folder: KnownFolder,
  { experiment }: Pick<Result, 'experiment'>,
  location: string = folder.path,
): Promise<KeptRun> {
  const sums = readSums(folder.path);
  const manifest = sums && (await sumOfFileIn(folder, sumsFile));
  const { file = '' } = experiment;
  const own = [...(sums ?? [])]
    .filter(([name]) => name.startsWith(`${inputFilesFolder}/`))
    .toSorted(([a], [b]) => Number(b === file) - Number(a === file) || (a < b ? -1 : 1));
  const inputs: KeptInput[] = [];
  const mode = (await readPartIn(folder, sumsFile, 0))?.mode ?? 0;
  let left = maxInputBytes;
  for (const [name, sha256] of own) {
    const found = await readInput(folder, name, { sha256, max: left, mode });
    left -= found.bytes?.length ?? 0;
    inputs.push({ name, named: path.posix.relative(path.posix.dirname(file), name), sha256, ...found });
  }
  return { location, hashes: hashesOf(sums, manifest, file), inputs };
}

/** @param manifest SHA-256 of the manifest @param file the experiment file */
export function hashesOf(sums: Sums | null, manifest: string | null, file = ''): RunHashes {
  return { manifest, result: sums?.get(runFiles.result) ?? null, experiment: sums?.get(file) ?? null };
}

/** @param of.mode permissions of other files of the folder: a page hands on nothing that fewer people may read */
async function readInput(
  folder: KnownFolder,
  name: string,
  { sha256, max, mode }: { sha256: string; max: number; mode: number },
): Promise<Pick<KeptInput, 'bytes' | 'why'>> {
  try {
    const found = await readPartIn(folder, name, max + 1);
    if (found === null) return { bytes: null, why: 'it is missing' };
    if ((mode & ~found.mode & othersMayRead) !== 0) return { bytes: null, why: notForAll };
    const { bytes } = found;
    if (bytes.length > max) return { bytes: null, why: 'too large for this page' };
    return sumOf(bytes) === sha256 ? { bytes, why: '' } : { bytes: null, why: `it does not match ${sumsFile}` };
  } catch (error) {
    if (error instanceof UserError) return { bytes: null, why: 'it is not a file' };
    if (hasCode(error, 'EACCES')) return { bytes: null, why: notForAll };
    throw error;
  }
}
