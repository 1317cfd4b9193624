import path from 'node:path';
import type { Bucket } from '../../aws/bucket.ts';
import { parseRunStatus, type RunStatus, statusText } from '../../contract/status.ts';
import { readTextIfThere } from '../../files/read.ts';
import { writeFileIn } from '../../files/write.ts';
import { latestFolderStore } from '../../storage/folder-store.ts';
import { startHeartbeat } from '../../storage/heartbeat.ts';
import type { Published, RunStore } from '../../storage/run-store.ts';
import { keepTrying } from '../keep-trying.ts';

/** The last status of a run, in its folder. A driver that starts again after it saves what is left, and measures nothing. */
const endedFile = '.ended.json';

type Kept = Pick<RunStore, 'known'>;

/** A run that has ended, whose results must be saved before its stack may delete itself. */
export interface EndedRun {
  status: () => RunStatus;
  /** Keeps trying to save everything, and to prove it, until that succeeds or the signal aborts. */
  save(publish: () => Promise<Published>): Promise<Published>;
  /** Keeps trying to write the last status. */
  finish(write: () => Promise<void>): Promise<void>;
}

export interface SavingOptions {
  /** Receives what goes wrong; the status has it, too. */
  warn: (text: string) => void;
  now: () => Date;
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Notes that a run has ended, so that no later start measures on.
 *
 * @param kept where the run is kept; null if there is no run
 * @param last status of the run, with a state in which it has ended
 */
export async function endRun(kept: Kept | null, last: RunStatus, options: SavingOptions): Promise<EndedRun> {
  let status: RunStatus = { ...last, saved: null, deleteAfter: null };
  const trying = {
    ...options,
    warn(text: string) {
      if (!status.problems.includes(text)) status = { ...status, problems: [...status.problems, text] };
      options.warn(text);
    },
  };
  const note = async (): Promise<void> => {
    if (kept) await writeFileIn(kept.known, endedFile, statusText(status));
  };
  await note();
  return {
    status: () => ({ ...status, updatedAt: options.now().toISOString() }),
    async save(publish) {
      const published = await keepTrying(publish, trying);
      const at = options.now();
      const { whenDone, graceMinutes } = status;
      const deleteAfter = whenDone === 'keep' ? null : new Date(at.getTime() + graceMinutes * 60_000).toISOString();
      status = { ...status, saved: { at: at.toISOString(), ...published }, deleteAfter };
      return published;
    },
    async finish(write) {
      try {
        await keepTrying(write, trying);
      } finally {
        await note();
      }
    },
  };
}

/** The last status of the newest run, if that run has ended; null otherwise. */
export function readEndedRun(results: string): { store: RunStore; status: RunStatus } | null {
  const store = latestFolderStore(results);
  const file = path.join(store?.folder ?? results, endedFile);
  const text = store && readTextIfThere(file, { links: 'refused' });
  return store && text !== null ? { store, status: parseRunStatus(text, file) } : null;
}

/** Saves and proves what an ended run left, and writes its last status. */
export async function concludeRun(
  bucket: Bucket,
  { kept, status, publish }: { kept: Kept | null; status: RunStatus; publish: () => Promise<Published> },
  options: SavingOptions,
): Promise<RunStatus> {
  const ended = await endRun(kept, status, options);
  const heartbeat = startHeartbeat(bucket, ended.status);
  try {
    await ended.save(publish);
  } finally {
    await ended.finish(() => heartbeat.end());
  }
  return ended.status();
}
