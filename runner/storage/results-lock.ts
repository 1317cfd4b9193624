import path from 'node:path';
import { makeFolder, removeIfEmpty } from '../files/change.ts';
import { demandOwnWay } from '../files/own-way.ts';
import { takeLock } from '../process/lock.ts';

const remedy = 'choose another folder (--out)';

/**
 * Does something while no other pgduet may work on the results of the same experiment. The lock lies beside the folder:
 * a run that never begins leaves nothing, and removes nothing but the folders that it made.
 *
 * @param results folder of all runs of an experiment; it need not exist
 * @throws {UserError} if another one works on them, or if another user has laid the folder there
 */
export async function withResultsLocked<T>(results: string, work: () => Promise<T>): Promise<T> {
  const parent = path.dirname(results);
  demandOwnWay(parent, remedy);
  const made = makeFolder(parent);
  try {
    demandOwnWay(parent, remedy);
    const lock = takeLock(`${results}.lock`, `The results in ${results}`);
    try {
      made.unshift(...makeFolder(results));
      demandOwnWay(results, remedy);
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    for (const folder of made) removeIfEmpty(folder);
  }
}
