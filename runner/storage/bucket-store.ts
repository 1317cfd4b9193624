import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Bucket, FileContent } from '../aws/bucket.ts';
import { UserError } from '../contract/errors.ts';
import { readTextIfThere } from '../files/read.ts';
import { writeFileIn } from '../files/write.ts';
import { trialFile } from '../contract/trial.ts';
import { parseVersioned } from '../contract/versioned-file.ts';
import type { Published, RunStore } from './run-store.ts';

/** Folder below the prefix of a deploy. It holds one folder for each run. */
export const runsFolder = 'runs';

/**
 * Tells which files of the run were sent to the bucket with their present content, so that a resumed run sends nothing
 * twice. It is no proof that they are there.
 */
const uploadedFile = '.uploaded.json';
type Uploaded = Record<string, FileContent & { modifiedMs: number }>;

/** A folder whose files are also in a bucket. */
export interface BucketStore extends RunStore {
  publish(): Promise<Published>;
}

/**
 * A folder whose files are also uploaded to a bucket: everything new after every trial, and nothing during a trial. The
 * folder is the original, and a driver that was rebooted goes on from it.
 *
 * If an upload fails, there is a warning, and the next upload tries again. Only `publish` throws, and only `publish` proves:
 * it asks the bucket for every object.
 */
export function bucketStore(local: RunStore, bucket: Bucket, warn: (text: string) => void): BucketStore {
  let warned = '';
  const name = `${runsFolder}/${path.basename(local.folder)}/`;
  const record = path.join(local.folder, uploadedFile);
  const readUploaded = (): Uploaded => JSON.parse(readTextIfThere(record, { links: 'refused' }) ?? '{}') as Uploaded;
  const writeUploaded = (uploaded: Uploaded): Promise<void> =>
    writeFileIn(local.folder, uploadedFile, JSON.stringify(uploaded));

  /** @returns everything that the bucket should hold now */
  async function upload(): Promise<Uploaded> {
    const uploaded = readUploaded();
    const present: Uploaded = {};
    for (const file of await filesOf(local.folder)) {
      const { size, mtimeMs } = await stat(path.join(local.folder, file));
      const before = uploaded[file];
      if (before?.sizeBytes !== size || before.modifiedMs !== mtimeMs) {
        const content = await bucket.putFile(`${name}${file}`, path.join(local.folder, file));
        uploaded[file] = { ...content, modifiedMs: mtimeMs };
        await writeUploaded(uploaded);
      }
      const sent = uploaded[file];
      if (sent) present[file] = sent;
    }
    return present;
  }
  async function prove(present: Uploaded): Promise<Published> {
    for (const [file, content] of Object.entries(present)) {
      const isThere = await bucket.holds(`${name}${file}`, content).catch(async (error: unknown) => {
        // Who may not list a bucket is refused what is not there, too. So it is sent again.
        await forget(file);
        throw error;
      });
      if (isThere) continue;
      await forget(file);
      throw new UserError(`${bucket.location}${name}${file} is not what was sent there.`);
    }
    const sizes = Object.values(present).map(({ sizeBytes }) => sizeBytes);
    return { objects: sizes.length, sizeBytes: sizes.reduce((total, size) => total + size, 0) };
  }
  async function forget(file: string): Promise<void> {
    const others = Object.entries(readUploaded()).filter(([other]) => other !== file);
    await writeUploaded(Object.fromEntries(others));
  }
  async function uploadOrWarn(): Promise<void> {
    try {
      await upload();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.message !== warned) warn(`${error.message} It stays in ${local.folder} and is tried again later.`);
      warned = error.message;
    }
  }
  return {
    ...local,
    location: `${bucket.location}${name}`,
    async saveRun(run) {
      await local.saveRun(run);
      await uploadOrWarn();
    },
    async saveStep(step) {
      await local.saveStep(step);
      await uploadOrWarn();
    },
    async saveTrial(trial, series) {
      const saved = await local.saveTrial(trial, series);
      await uploadOrWarn();
      return saved;
    },
    async saveLater(id, findings, series) {
      const saved = await local.saveLater(id, findings, series);
      await uploadOrWarn();
      return saved;
    },
    async saveResult(result) {
      await local.saveResult(result);
      await uploadOrWarn();
    },
    async publish() {
      try {
        return await prove(await upload());
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const { message, passing } = error;
        throw new UserError(`Not all of the results are in S3. They are whole in ${local.folder}. ${message}`, {
          cause: error,
          passing,
        });
      }
    },
  };
}

/**
 * Relative paths of the files to upload. Files of trials come first, so that result.json never speaks of a trial that is
 * not there yet; in a folder, JSON comes last, since it speaks of the series beside it.
 *
 * If a trial did not finish, the folders below its own stay here, such as its transaction logs: they may be large, and count
 * for nothing.
 */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort(jsonLast);
  const ofTrials = files.filter((file) => file.startsWith(`trials${path.sep}`));
  return [
    ...ofTrials.filter((file) => isFileOfTrialItself(file) || isFinished(path.join(folder, trialFolderOf(file)))),
    ...files.filter((file) => !ofTrials.includes(file)),
  ];
}

function jsonLast(a: string, b: string): number {
  const [one, other] = [a, b].map((file) =>
    path.join(path.dirname(file), `${isJson(file) ? 1 : 0}${path.basename(file)}`),
  );
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function isJson(file: string): boolean {
  return path.extname(file) === '.json';
}

function trialFolderOf(file: string): string {
  return file.split(path.sep).slice(0, 2).join(path.sep);
}

function isFileOfTrialItself(file: string): boolean {
  return path.dirname(file) === trialFolderOf(file);
}

function isFinished(trialFolder: string): boolean {
  const file = path.join(trialFolder, 'trial.json');
  const text = readTextIfThere(file, { links: 'refused' });
  return text !== null && parseVersioned(text, file, trialFile).state === 'finished';
}
