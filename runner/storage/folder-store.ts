import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { UserError } from '../contract/errors.ts';
import { readResult } from './read-result.ts';
import type { ResultStore } from './result-store.ts';
import type { Result, Trial } from '../contract/result.ts';

const latest = 'latest';

/**
 * A folder for a new run below the experiment's own, named by its start, `latest` pointing to it:
 *
 *     results/quick/2026-11-21T06-28-18Z/{result.json, report.html, report.md, trials/<id>/...}
 *     results/quick/latest -> 2026-11-21T06-28-18Z
 */
export function newFolderStore(experimentFolder: string, now: Date): ResultStore {
  const name = now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  const folder = uniqueFolder(path.join(experimentFolder, name));
  mkdirSync(folder, { recursive: true });
  pointLatest(experimentFolder, path.basename(folder));
  return folderStore(folder, path.join(experimentFolder, latest));
}

/**
 * The folder of the newest run, to go on with.
 *
 * @throws {UserError} where there is none.
 */
export function resumeFolderStore(experimentFolder: string): ResultStore {
  const link = path.join(experimentFolder, latest);
  if (!existsSync(link)) throw new UserError(`--resume: there is no run to go on with at ${link}. Leave --resume out.`);
  return folderStore(realpathSync(link), link);
}

function folderStore(folder: string, location: string): ResultStore {
  const trialsFolder = path.join(folder, 'trials');
  return {
    location,
    folder,
    trialFolder(id) {
      const trialFolder = path.join(trialsFolder, id);
      rmSync(trialFolder, { recursive: true, force: true });
      mkdirSync(trialFolder, { recursive: true });
      return trialFolder;
    },
    saveTrial: (trial) => writeJson(path.join(trialsFolder, trial.id, 'trial.json'), trial),
    saveResult: (result: Result) => writeJson(path.join(folder, 'result.json'), result),
    publish: () => Promise.resolve(),
    readResult: () => readResult(folder),
    readTrials() {
      const ids = existsSync(trialsFolder) ? readdirSync(trialsFolder).sort() : [];
      return Promise.resolve(
        ids
          .map((id) => path.join(trialsFolder, id, 'trial.json'))
          .filter((file) => existsSync(file))
          .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Trial),
      );
    },
  };
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Two starts in one second get folders of their own. */
function uniqueFolder(wanted: string): string {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`;
    if (!existsSync(folder)) return folder;
  }
}

function pointLatest(experimentFolder: string, name: string): void {
  const link = path.join(experimentFolder, latest);
  rmSync(link, { force: true });
  symlinkSync(name, link);
}
