import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assembleResult } from '../analysis/assemble.ts';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { resumeFolderStore } from '../storage/folder-store.ts';
import { readRunFolder, runFiles } from '../storage/run-folder.ts';
import type { RunStore, StoredRun } from '../storage/run-store.ts';

export interface UnfinishedRun {
  store: RunStore;
  earlier: StoredRun;
}

interface WantedRun {
  experiment: Experiment;
  profile: string;
}

/**
 * Finds an unfinished run of the same experiment, to resume it.
 *
 * @throws {UserError} if there is none, if it is complete, or if it measured something else: its trials would be taken for
 *   trials of this run
 */
export async function unfinishedRun(results: string, run: WantedRun): Promise<UnfinishedRun> {
  const found = await latestRun(results, run);
  if (found.complete) {
    throw new UserError(`--resume: ${found.store.location} is complete. Leave --resume out to begin anew.`);
  }
  // Its result will not have all trials any more.
  rmSync(path.join(found.store.folder, runFiles.result), { force: true });
  return found;
}

/** The newest run, complete or not; null if none has found its variants yet. */
export async function latestRunIfAny(
  results: string,
  run: WantedRun,
): Promise<(UnfinishedRun & { complete: boolean }) | null> {
  return existsSync(path.join(results, 'latest', runFiles.run)) ? latestRun(results, run) : null;
}

async function latestRun(
  results: string,
  { experiment, profile }: WantedRun,
): Promise<UnfinishedRun & { complete: boolean }> {
  const store = resumeFolderStore(results);
  const earlier = readRunFolder(store.folder);
  const measured = earlier.run.experiment;
  if (!isDeepStrictEqual(measured.definition, jsonCopy(experiment)) || measured.profile !== profile) {
    throw new UserError(
      `--resume: ${store.location} measured something else (profile ${measured.profile}, seed ${measured.seed}), or the file has changed since. Leave --resume out to begin anew.`,
    );
  }
  const { complete } = await assembleResult(earlier, { endedAt: null }, store.series);
  return { store, earlier, complete };
}

/** The value as it would be read back from a file: without keys that are undefined. */
function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
