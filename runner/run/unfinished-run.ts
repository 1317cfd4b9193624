import { rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assembleResult } from '../analysis/assemble.ts';
import { UserError } from '../contract/errors.ts';
import type { Experiment, WrittenExperiment } from '../contract/experiment/schema.ts';
import type { RunRecord } from '../contract/result.ts';
import { latestRunRecord, resumeFolderStore } from '../storage/folder-store.ts';
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
  const found = await latestRun(results);
  const { profile, seed } = found.earlier.run.experiment;
  if (!isSame(found.earlier.run, run)) {
    throw new UserError(
      `--resume: ${found.store.location} measured something else (profile ${profile}, seed ${seed}), or the file has changed since. Leave --resume out to begin anew.`,
    );
  }
  if (found.complete) {
    throw new UserError(`--resume: ${found.store.location} is complete. Leave --resume out to begin anew.`);
  }
  // Its result will not have all trials any more.
  rmSync(path.join(found.store.folder, runFiles.result), { force: true });
  return found;
}

/**
 * The newest run of a driver, complete or not; null if none has found its variants yet, or if a later deploy asks for
 * something else.
 */
export async function latestRunIfAny(
  results: string,
  wanted: WantedRun,
): Promise<(UnfinishedRun & { complete: boolean }) | null> {
  const record = latestRunRecord(results);
  return record && isSame(record, wanted) ? latestRun(results) : null;
}

/** The seed of the newest run, if it measures the same; otherwise null: another run has an order of its own. */
export function seedToGoOnWith(
  results: string,
  { experiment, profile }: { experiment: WrittenExperiment; profile: string },
): number | null {
  const record = latestRunRecord(results);
  if (!record) return null;
  const { seed } = record.experiment;
  const protocol = { ...experiment.protocol, seed };
  return isSame(record, { experiment: { ...experiment, protocol }, profile }) ? seed : null;
}

async function latestRun(results: string): Promise<UnfinishedRun & { complete: boolean }> {
  const store = resumeFolderStore(results);
  const earlier = readRunFolder(store.folder);
  const { complete } = await assembleResult(earlier, { endedAt: null }, store.series);
  return { store, earlier, complete };
}

function isSame({ experiment: measured }: RunRecord, { experiment, profile }: WantedRun): boolean {
  return isDeepStrictEqual(measured.definition, jsonCopy(experiment)) && measured.profile === profile;
}

/** The value as it would be read back from a file: without keys that are undefined. */
function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
