import path from 'node:path';
import * as z from 'zod';
import { NoAnswerError } from '../aws/bound-client.ts';
import type { Bucket, Sending } from '../aws/bucket.ts';
import { UserError } from '../../contract/errors.ts';
import { modifiedMsOf, sizeOf } from '../../files/look.ts';
import { readTextIfThere } from '../../files/read.ts';
import { readSums, sumsFile, sumsText } from '../../files/sums.ts';
import { writeFileIn } from '../../files/write.ts';
import { filesOfRun, isSealable } from '../../storage/run-files.ts';
import type { Published, RunStore } from '../../storage/run-store.ts';

/** Folder below the prefix of a deploy. It holds one folder for each run. */
export const runsFolder = 'runs';

/**
 * Records which files of the run were sent to the bucket with their present content, so that a resumed run sends
 * nothing twice. It does not prove that they are there.
 */
const uploadedFile = '.uploaded.json';
const uploadedSchema = z.record(
  z.string(),
  z.object({ sizeBytes: z.number(), sha256: z.string(), modifiedMs: z.number() }),
);
type Uploaded = z.output<typeof uploadedSchema>;

/** Failed uploads may cost a run this many times the patience in all, and the last of them once more. */
const maxPatiences = 2;

/** What uploads within a run depend on. */
export interface WithinRun {
  /** Aborts when the run is to end. `publish` uploads what is left then. */
  signal: AbortSignal;
  /** How many times something else was written to the bucket so far, which shows whether it answers. */
  written: () => number;
  /** An upload is given up if no file, and no part of one, has arrived for this long. @default 20 */
  patienceSeconds?: number;
}

/** Sends something, and may abort it. */
type Send = <T>(put: (how?: Sending) => Promise<T>) => Promise<T>;

/** A folder whose files are also in a bucket. */
export interface BucketStore extends RunStore {
  publish(): Promise<Published>;
}

/**
 * A folder whose files are also uploaded to a bucket: everything new after every trial, and nothing during a trial. The
 * folder is the original, and a rebooted driver continues from it.
 *
 * If an upload fails, pgduet warns, and the next upload tries again. It does so only if the bucket has answered
 * something else since then, and only until failed uploads have cost the run a minute in all. `publish` uploads what is
 * left then. Only `publish` throws, and only `publish` proves: it asks the bucket for every object.
 *
 * @param within absent if nothing is measured any more
 */
export function bucketStore(
  local: RunStore,
  bucket: Bucket,
  warn: (text: string) => void,
  within?: WithinRun,
): BucketStore {
  const run = within && { patienceSeconds: 20, ...within };
  let failed: { written: number } | null = null;
  let lostSeconds = 0;
  const name = `${runsFolder}/${path.basename(local.folder)}/`;
  const record = path.join(local.folder, uploadedFile);
  /** What the record does not list, or lists differently, is uploaded again. */
  function readUploaded(): Uploaded {
    try {
      return uploadedSchema.parse(JSON.parse(readTextIfThere(record, { links: 'refused' }) ?? '{}'));
    } catch (error) {
      if (error instanceof UserError) throw error;
      return {};
    }
  }
  const writeUploaded = (uploaded: Uploaded): Promise<void> =>
    writeFileIn(local.known, uploadedFile, JSON.stringify(uploaded));

  /** @returns everything that the bucket should hold now */
  async function upload(send: Send = (put) => put()): Promise<Uploaded> {
    const uploaded = readUploaded();
    const present: Uploaded = {};
    const files = await filesOfRun(local.folder);
    const changed = changedSince(uploaded, files);
    if (changed.some((file) => uploaded[file] && isSealable(file))) {
      await withdraw(changed, uploaded, send);
      if (!changed.includes(sumsFile)) changed.push(sumsFile);
    }
    for (const file of files) {
      if (changed.includes(file)) {
        const modifiedMs = modifiedMsOf(path.join(local.folder, file));
        const content = await send((how) => bucket.putFile(`${name}${file}`, path.join(local.folder, file), how));
        uploaded[file] = { ...content, modifiedMs };
        await writeUploaded(uploaded);
      }
      const sent = uploaded[file];
      if (sent) present[file] = sent;
    }
    return present;
  }
  function changedSince(uploaded: Uploaded, files: readonly string[]): string[] {
    return files.filter((file) => {
      const place = path.join(local.folder, file);
      const before = uploaded[file];
      return before?.sizeBytes !== sizeOf(place) || before.modifiedMs !== modifiedMsOf(place);
    });
  }
  /**
   * Removes files from the manifest in the bucket, so that whoever reads there while they are sent again finds no
   * contradiction.
   */
  async function withdraw(files: readonly string[], uploaded: Uploaded, send: Send): Promise<void> {
    const sums = new Map(readSums(local.folder));
    for (const file of files) sums.delete(file);
    Reflect.deleteProperty(uploaded, sumsFile);
    await writeUploaded(uploaded);
    await send((how) => bucket.putText(`${name}${sumsFile}`, sumsText(sums), how?.signal));
  }
  async function prove(present: Uploaded): Promise<Published> {
    for (const [file, content] of Object.entries(present)) {
      const isThere = await bucket.holds(`${name}${file}`, content).catch(async (error: unknown) => {
        // Without permission to list the bucket, S3 also refuses access to what does not exist. So the file is sent
        // again.
        await forget(file);
        throw error;
      });
      if (isThere) continue;
      await forget(file);
      throw new UserError(`${bucket.location}${name}${file} differs from the uploaded file.`);
    }
    const sizes = Object.values(present).map(({ sizeBytes }) => sizeBytes);
    return { objects: sizes.length, sizeBytes: sizes.reduce((total, size) => total + size, 0) };
  }
  async function forget(file: string): Promise<void> {
    const others = Object.entries(readUploaded()).filter(([other]) => other !== file);
    await writeUploaded(Object.fromEntries(others));
  }
  async function putWithinRun<T>(
    put: (how: Sending) => Promise<T>,
    { signal, patienceSeconds }: Required<WithinRun>,
  ): Promise<T> {
    signal.throwIfAborted();
    const controller = new AbortController();
    const giveUp = (): void => controller.abort(new NoAnswerError(`no response for ${patienceSeconds} s`));
    const timer = setTimeout(giveUp, patienceSeconds * 1000);
    const end = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', end);
    try {
      return await put({ signal: controller.signal, onPart: () => void timer.refresh() });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
  async function uploadWithinRun(): Promise<void> {
    const hasEnded = (): boolean => run?.signal.aborted === true;
    if (!run || hasEnded()) return;
    const isLostEnough = lostSeconds >= maxPatiences * run.patienceSeconds;
    if (failed && (isLostEnough || run.written() === failed.written)) return;
    const startedAt = performance.now();
    try {
      await upload((put) => putWithinRun(put, run));
      failed = null;
    } catch (error) {
      if (hasEnded()) return;
      if (!(error instanceof UserError)) throw error;
      lostSeconds += (performance.now() - startedAt) / 1000;
      if (!failed) warn(`${error.message} The results are still in ${local.folder}; pgduet will retry.`);
      failed = { written: run.written() };
    }
  }
  return {
    ...local,
    get folder() {
      return local.folder;
    },
    location: `${bucket.location}${name}`,
    async saveRun(run) {
      await local.saveRun(run);
      await uploadWithinRun();
    },
    async saveStep(step) {
      await local.saveStep(step);
      await uploadWithinRun();
    },
    async saveTrial(trial, series) {
      const saved = await local.saveTrial(trial, series);
      await uploadWithinRun();
      return saved;
    },
    async saveLater(id, findings, series) {
      const saved = await local.saveLater(id, findings, series);
      await uploadWithinRun();
      return saved;
    },
    async saveResult(result) {
      await local.saveResult(result);
      await uploadWithinRun();
    },
    async publish() {
      try {
        return await prove(await upload());
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const { message, isTransient } = error;
        throw new UserError(
          `Not all of the results are in S3. The complete results are in ${local.folder}. ${message}`,
          {
            cause: error,
            isTransient,
          },
        );
      }
    },
  };
}
