import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { RunRecord } from '../contract/result.ts';
import { makeFolder, pointTo } from '../files/change.ts';
import { exists, foldersIn, realPath } from '../files/look.ts';
import { demandOwnWay } from '../files/own-way.ts';
import { readRunRecord, runFolder } from './run-folder.ts';
import type { RunStore } from './run-store.ts';

const latest = 'latest';

/**
 * Makes a folder for a new run below the experiment's own. Its name is the run's start, and `latest` points to it:
 *
 *     results/quick/2026-11-21T06-28-18Z/{run.json, result.json, report.html, trials/<id>/...}
 *     results/quick/latest -> 2026-11-21T06-28-18Z
 */
export function newFolderStore(experimentFolder: string, now: Date): RunStore {
  const name = now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  const folder = uniqueFolder(path.join(experimentFolder, name));
  makeFolder(folder);
  pointTo(path.basename(folder), path.join(experimentFolder, latest));
  return runFolder(folder, path.join(experimentFolder, latest));
}

/**
 * Opens the folder of the newest run, to resume it.
 *
 * @throws {UserError} if there is none, or if another user could redirect what is written there
 */
export function resumeFolderStore(experimentFolder: string): RunStore {
  const store = latestFolderStore(experimentFolder);
  // A run that was killed while it started its servers has left no record.
  if (store && readRunRecord(store.folder)) {
    const remedy = 'leave --resume out to begin anew';
    for (const folder of ['', ...foldersIn(store.folder)]) demandOwnWay(path.join(store.folder, folder), remedy);
    return store;
  }
  const link = path.join(experimentFolder, latest);
  throw new UserError(`--resume: there is no run to go on with at ${link}. Leave --resume out.`);
}

/** The folder of the newest run; null if there is none. */
export function latestFolderStore(experimentFolder: string): RunStore | null {
  const link = path.join(experimentFolder, latest);
  return exists(link) ? runFolder(realPath(link), link) : null;
}

/** What the newest run measures; null if there is no run. */
export function latestRunRecord(experimentFolder: string): RunRecord | null {
  return readRunRecord(path.join(experimentFolder, latest));
}

/** A folder that is not there yet: two runs that start in the same second get folders of their own. */
function uniqueFolder(wanted: string): string {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`;
    if (!exists(folder)) return folder;
  }
}
