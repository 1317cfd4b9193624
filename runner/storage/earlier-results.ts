import path from 'node:path';
import type { z } from 'zod';
import { resultFile, resultSchema } from '../contract/result.ts';
import { parseVersioned } from '../contract/versioned-file.ts';
import { agreementOf, disagreementOf, readSums, sumsFile } from '../files/sums.ts';
import { foldersIn } from '../files/look.ts';
import { readFileWhole } from '../files/read.ts';
import { runFiles } from './run-files.ts';

/** A result without its trials and what was made of them. */
const headSchema = resultSchema.omit({ trials: true, steps: true, ladders: true, explanations: true });
const headFile = { ...resultFile, schema: headSchema };

export type ResultHead = z.output<typeof headSchema>;

/** A result beside that of a run. */
export interface ResultBeside {
  head: ResultHead;
  /** Why it does not count, in words; null if the manifest of its run vouches for it. */
  doubt: string | null;
}

/** How many folders are looked into, from the newest: a run must not take longer for having many before it. */
const mostFolders = 40;
/** A hundred times what a result usually is. */
const largestBytes = 64 * 2 ** 20;

/**
 * The results beside that of a run, from the newest. Whatever cannot be read is passed over, as are files that are damaged or of
 * other versions: results of before must never fail the one that is made now.
 *
 * @param folder of the run; the runs of one experiment lie side by side, named by the time of their start
 */
export function readResultsBeside(folder: string): ResultBeside[] {
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

function readHead(folder: string): ResultBeside | null {
  const file = path.join(folder, runFiles.result);
  try {
    const bytes = readFileWhole(file, { most: largestBytes, links: 'refused' });
    const head = parseVersioned(bytes.toString('utf8'), file, headFile);
    const sums = readSums(folder);
    const doubt = sums
      ? (disagreementOf(file, agreementOf(sums, runFiles.result, bytes))?.message ?? null)
      : `${folder} has no ${sumsFile}, so that nobody can tell whether it is as it was measured.`;
    return { head, doubt };
  } catch {
    return null;
  }
}
