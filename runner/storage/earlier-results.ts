import path from 'node:path';
import type { z } from 'zod';
import { resultFile, resultSchema } from '../contract/result.ts';
import { parseVersioned } from '../contract/versioned-file.ts';
import { agreementOf, readSums } from '../files/sums.ts';
import { foldersIn } from '../files/look.ts';
import { readFileWhole } from '../files/read.ts';
import { runFiles } from './run-files.ts';

/** A result without its trials and what was made of them. */
const headSchema = resultSchema.omit({ trials: true, steps: true, ladders: true, explanations: true });
const headFile = { ...resultFile, schema: headSchema };

export type ResultHead = z.output<typeof headSchema>;

/** How many folders are looked into, from the newest: a run must not take longer for having many before it. */
const mostFolders = 40;
/** A hundred times what a result usually is. */
const largestBytes = 64 * 2 ** 20;

/**
 * The results beside that of a run, from the newest. Whatever cannot be read is passed over, as are files that are damaged,
 * changed, or of other versions: results of before must never fail the one that is made now.
 *
 * @param folder of the run; the runs of one experiment lie side by side, named by the time of their start
 */
export function readResultsBeside(folder: string): ResultHead[] {
  const around = path.dirname(path.resolve(folder));
  const own = path.basename(path.resolve(folder));
  return runsIn(around)
    .filter((name) => name !== own)
    .reverse()
    .slice(0, mostFolders)
    .flatMap((name) => readHead(path.join(around, name)) ?? []);
}

function runsIn(around: string): string[] {
  try {
    return foldersIn(around);
  } catch {
    return [];
  }
}

function readHead(folder: string): ResultHead | null {
  const file = path.join(folder, runFiles.result);
  try {
    const bytes = readFileWhole(file, { most: largestBytes, links: 'refused' });
    if (agreementOf(readSums(folder), runFiles.result, bytes) !== 'agrees') return null;
    return parseVersioned(bytes.toString('utf8'), file, headFile);
  } catch {
    return null;
  }
}
