import { existsSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../contract/errors.ts';
import { resumeFolderStore } from '../storage/folder-store.ts';
import type { ResultStore } from '../storage/result-store.ts';
import type { Result } from '../contract/result.ts';
import type { PreparedRun } from './prepare-run.ts';

export interface UnfinishedRun {
  store: ResultStore;
  earlier: Result;
}

/**
 * What an unfinished run of the same experiment left, to go on with.
 *
 * @throws {UserError} where there is none, where it is complete, or where it measured something else: its trials would be
 *   taken for this one's.
 */
export async function unfinishedRun(results: string, run: PreparedRun): Promise<UnfinishedRun> {
  const found = await latestRun(results, run);
  if (found.earlier.complete) {
    throw new UserError(`--resume: ${found.store.location} is complete. Leave --resume out to begin anew.`);
  }
  return found;
}

/** The newest run, complete or not; null where it never came to its first trial. */
export async function latestRunIfAny(results: string, run: PreparedRun): Promise<UnfinishedRun | null> {
  return existsSync(path.join(results, 'latest', 'result.json')) ? latestRun(results, run) : null;
}

async function latestRun(results: string, { experiment, profile }: PreparedRun): Promise<UnfinishedRun> {
  const store = resumeFolderStore(results);
  const result = await store.readResult();
  if (!isDeepStrictEqual(result.experiment.definition, jsonCopy(experiment)) || result.experiment.profile !== profile) {
    throw new UserError(
      `--resume: ${store.location} measured something else (profile ${result.experiment.profile}, seed ${result.experiment.seed}), or the file has changed since. Leave --resume out to begin anew.`,
    );
  }
  return { store, earlier: { ...result, trials: await store.readTrials() } };
}

/** As it comes back from a file: without what is undefined. */
function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
