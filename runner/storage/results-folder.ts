import path from 'node:path';
import type { z } from 'zod';
import { UserError } from '../contract/errors.ts';
import { type Result, resultFile, resultSchema } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import { makeFolder, makeSafeFolder, pointTo, removeIfEmpty } from '../files/write.ts';
import { exists, foldersIn, realPath } from '../files/look.ts';
import { latestRun } from '../files/named-run.ts';
import { requireSafePath } from '../files/open-folder.ts';
import { readRunRecord, runFolder } from './run-folder.ts';
import type { RunStore } from './run-store.ts';
import { parseVersioned } from '../contract/versioned-file.ts';
import { agreementOf, disagreementOf, readSums, sumsFile } from '../files/sums.ts';
import { readFileWhole } from '../files/read.ts';
import { runFiles } from './run-files.ts';
import type { Trial } from '../contract/trial.ts';
import type { SeriesSource } from './series.ts';
import { takeLock } from '../process/lock.ts';

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
  pointTo(path.basename(folder), path.join(experimentFolder, latestRun));
  return runFolder(folder, path.join(experimentFolder, latestRun));
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
    const remedy = 'omit --resume to start a new run';
    for (const folder of ['', ...foldersIn(store.folder)]) requireSafePath(path.join(store.folder, folder), remedy);
    return store;
  }
  const link = path.join(experimentFolder, latestRun);
  throw new UserError(`--resume: no run to resume at ${link}. Omit --resume.`, { failure: 'no-run' });
}

/** The folder of the newest run; null if there is none. */
export function latestFolderStore(experimentFolder: string): RunStore | null {
  const link = path.join(experimentFolder, latestRun);
  return exists(link) ? runFolder(realPath(link), link) : null;
}

/** What the newest run measures; null if there is no run. */
export function latestRunRecord(experimentFolder: string): RunRecord | null {
  return readRunRecord(path.join(experimentFolder, latestRun));
}

/** A folder that does not exist yet: two runs that start in the same second get folders of their own. */
function uniqueFolder(wanted: string): string {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`;
    if (!exists(folder)) return folder;
  }
}

/** A result without its trials and what was made from them. */
const headSchema = resultSchema.omit({
  trials: true,
  steps: true,
  ladders: true,
  explanations: true,
  distributions: true,
  robustness: true,
});
const headFile = { ...resultFile, schema: headSchema };

export type ResultHead = z.output<typeof headSchema>;

/** The result of another run, in a folder beside that of a run. */
export interface ResultBeside {
  head: ResultHead;
  /** Why it does not count, in words; null if the manifest of its run vouches for it. */
  doubt: string | null;
}

/** How many folders are read, newest first: a run must not take longer because there were many before it. */
const maxFolders = 40;
/** A hundred times the usual size of a result. */
const largestBytes = 64 * 2 ** 20;

/**
 * The results beside that of a run, newest first. Files that cannot be read, are damaged, or have other versions are
 * skipped: earlier results must never fail the present one.
 *
 * @param folder of the run; the runs of one experiment are side by side, named by the time of their start
 */
export function readResultsBeside(folder: string): ResultBeside[] {
  const around = path.dirname(path.resolve(folder));
  const own = path.basename(path.resolve(folder));
  return runsIn(around)
    .filter((name) => name !== own)
    .reverse()
    .slice(0, maxFolders)
    .flatMap((name) => readHead(path.join(around, name)) ?? []);
}

/** All results of an experiment, the oldest first, each with the name of its folder. Files that cannot be read are skipped. */
export function* readResultsOf(experimentFolder: string): Generator<ResultBeside & { run: string }> {
  for (const run of runsIn(experimentFolder)) {
    const read = readHead(path.join(experimentFolder, run));
    if (read) yield { ...read, run };
  }
}

function runsIn(around: string): string[] {
  try {
    return foldersIn(around);
  } catch {
    return [];
  }
}

function readHead(folder: string): ResultBeside | null {
  const file = path.join(folder, runFiles.result);
  try {
    const bytes = readFileWhole(file, { max: largestBytes, links: 'refused' });
    const head = parseVersioned(bytes.toString('utf8'), file, headFile);
    const sums = readSums(folder);
    const doubt = sums
      ? (disagreementOf(file, agreementOf(sums, runFiles.result, bytes))?.message ?? null)
      : `${folder} has no ${sumsFile}, so changes since the run cannot be detected.`;
    return { head, doubt };
  } catch {
    return null;
  }
}

/**
 * Writes a result with the series of its trials into a folder, where `pgduet report` and others find everything that
 * they need.
 *
 * @throws {UserError} if another user could redirect what is written there
 */
export async function copyRun(result: Result, series: SeriesSource, folder: string): Promise<void> {
  makeSafeFolder(folder, 'work in another folder');
  const store = runFolder(folder, folder);
  const trials: Trial[] = [];
  for (const trial of result.trials) {
    const rows = [...(await series.read(trial))].flatMap(([name, points]) =>
      points.map((point) => ({ name, ...point })),
    );
    // What was found later is now part of the trial, and so are its series.
    trials.push(await store.saveTrial(trial, rows));
  }
  // The result comes last, so that an incomplete copy has none.
  await store.saveResult({ ...result, trials });
}

const remedy = 'choose another folder (--out)';

/**
 * Does something while no other pgduet may work on the results of the same experiment. The lock is beside the folder,
 * so a run that never begins leaves nothing behind, and removes only the folders that it made.
 *
 * @param results folder of all runs of an experiment; it need not exist
 * @throws {UserError} if another pgduet is working on them, or if another user has put the folder there
 */
export async function withResultsLocked<T>(results: string, work: () => Promise<T>): Promise<T> {
  const parent = path.dirname(results);
  const made = makeSafeFolder(parent, remedy);
  try {
    const lock = takeLock(`${results}.lock`, `The results in ${results}`);
    try {
      made.unshift(...makeSafeFolder(results, remedy));
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    for (const folder of made) removeIfEmpty(folder);
  }
}
