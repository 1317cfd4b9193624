import path from 'node:path';
import { exists, whyNoFolder } from './look.ts';

/** In the folder of all runs of an experiment, a link to the newest one. */
export const latestRun = 'latest';

/** What a run writes first and last, and what a copy of one has: a folder with either of them holds a run. */
const records: readonly string[] = ['run.json', 'result.json'];

/**
 * The folder of the run that a path names: that folder itself, a record in it, or the folder of all runs of an
 * experiment, such as results/quick, which stands for the latest of them.
 *
 * @returns the path as it was given if it names no run: whoever reads it says why
 */
export function runFolderAt(named: string): string {
  const isRecord = records.includes(path.basename(named)) && whyNoFolder(named) !== null;
  const folder = isRecord ? path.dirname(named) : named;
  const latest = path.join(folder, latestRun);
  return !holdsRun(folder) && holdsRun(latest) ? latest : folder;
}

function holdsRun(folder: string): boolean {
  return records.some((record) => exists(path.join(folder, record)));
}
