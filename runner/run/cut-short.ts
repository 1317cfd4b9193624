import path from 'node:path';
import { lostTrials } from '../analysis/validity/rejudge.ts';
import type { Trial } from '../contract/trial.ts';
import { ChangedFileError } from '../contract/versioned-file.ts';
import { sizeOf } from '../files/look.ts';
import { readSums, sumOfFileIn } from '../files/sums.ts';
import { runFiles } from '../storage/run-files.ts';
import { readRunFolder } from '../storage/run-folder.ts';
import type { RunStore, StoredRun } from '../storage/run-store.ts';
import { cutOff } from '../storage/stored-run.ts';

/** A file of a trial of which less is there than was saved. */
export interface CutShort {
  /** Of the trial. */
  id: string;
  /** In the folder of the run. */
  name: string;
  /** What is left, in words. */
  what: string;
}

/**
 * Compares the files of the trials, and of the run's inputs, with the manifest. Nothing else would read most of them again.
 *
 * A trial with a file that is missing or shorter than it was is cut short: a disk that claims to have written what it only
 * holds in memory loses it with its power. Any other difference was made by someone.
 */
export async function compareWithManifest(
  folder: string,
  trials: readonly Trial[],
  signal: AbortSignal,
): Promise<{ changed: ChangedFileError[]; cutShort: CutShort[] }> {
  const sizes = new Map(
    trials.flatMap(({ id, files = {} }) =>
      Object.entries(files).map(([file, size]) => [`${runFiles.trials}/${id}/${file}`, size]),
    ),
  );
  const cutShort: CutShort[] = [];
  const others: { id: string; error: ChangedFileError }[] = [];
  for (const [name, sum] of readSums(folder) ?? []) {
    const [top, id = ''] = name.split('/');
    if (top !== runFiles.trials && top !== runFiles.inputs) continue;
    const found = await sumOfFileIn(folder, name, signal);
    if (found === sum) continue;
    const left = found === null ? null : sizeOf(path.join(folder, name));
    // The size of the record itself is nowhere.
    const whole = sizes.get(name) ?? 1;
    if (top === runFiles.trials && (left === null || left < whole)) {
      const of = sizes.has(name) ? whole.toLocaleString('en') : 'its';
      const what = left === null ? 'is missing' : `has ${left.toLocaleString('en')} of ${of} bytes`;
      cutShort.push({ id, name, what });
    } else {
      const what = left === null ? 'is missing' : 'was changed';
      others.push({ id, error: new ChangedFileError(path.join(folder, name), what) });
    }
  }
  // Nothing of a trial that is cut short counts, so it does not matter what became of its other files.
  const changed = others.filter(({ id }) => !cutShort.some((one) => one.id === id)).map(({ error }) => error);
  return { changed, cutShort };
}

/**
 * Makes trials whose files were cut short trials that were cut off, so that they are measured anew. Whoever removes a part
 * of a file gains nothing by that: their blocks stay unknown, and the run is the same start.
 *
 * @returns the run as it is then, and what to say about it; null if no file was cut short
 * @throws {ChangedFileError} if a file is of no trial of this run
 */
export async function giveUpCutShort(
  store: RunStore,
  earlier: StoredRun,
  cutShort: readonly CutShort[],
): Promise<{ earlier: StoredRun; warning: string } | null> {
  if (cutShort.length === 0) return null;
  const firsts = cutShort.filter(({ id }, index) => index === cutShort.findIndex((one) => one.id === id));
  const trials = firsts.map(({ id, name, what }) => {
    const error = new ChangedFileError(path.join(store.folder, name), what);
    const known = earlier.trials.find((trial) => trial.id === id) ?? lostTrials(earlier.run, [{ id, error }])[0];
    if (!known) throw error;
    return cutOff(known, `${path.basename(name)} ${what}, as after a power cut`);
  });
  for (const trial of trials) await store.giveUp(trial);
  // It would be the result of trials that are measured again.
  await store.goOn();
  const files = firsts.map(({ name, what }) => `${name} ${what}`).join('; ');
  const warning = `Trials whose files are incomplete, as after a power cut, count as cut off: ${files}. pgduet repeats these trials.`;
  return { earlier: readRunFolder(store.folder), warning };
}
