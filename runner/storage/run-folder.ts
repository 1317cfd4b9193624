import path from 'node:path';
import * as z from 'zod';
import { hasCode, unreadable, UserError } from '../contract/errors.ts';
import { type CarriedOutStep, type Result, resultFile } from '../contract/result.ts';
import { runFile, type RunRecord } from '../contract/run-record.ts';
import type { SeriesRow } from '../contract/metric.ts';
import { parseVersioned, type VersionedFile } from '../contract/versioned-file.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { laterFile, type LaterFindings, laterSeriesFile, type Trial, trialFile } from '../contract/trial.ts';
import { makeFolderIn, removeFile, removeTree, removeUnfinished, writeFileIn } from '../files/write.ts';
import { exists, namesIn, sizeOf, whyNoFolder } from '../files/look.ts';
import { runFolderAt } from '../files/named-run.ts';
import { requireSameFolder, knowFolder } from '../files/open-folder.ts';
import { readFileIn } from '../files/read.ts';
import { agreementOf, disagreementOf, readSums, type Sums } from '../files/sums.ts';
import { filesOfRun, filesOfTrial, isLog, manifestOf, runFiles, trialFiles } from './run-files.ts';
import { folderSeries, writeSeries } from './series.ts';
import type { RunStore, StoredRun } from './run-store.ts';
import {
  requireAgreement,
  type FileText,
  missingTrials,
  noSteps,
  parseStoredResult,
  parseStoredRun,
  type StoredResult,
  type TrialTexts,
  wholeLines,
} from './stored-run.ts';

/**
 * @param folder exists; another folder that later takes its place is never written to
 * @param location name of the folder as the user would write it
 */
export function runFolder(folder: string, location: string): RunStore {
  const known = knowFolder(folder);
  const trialPath = (id: string): string => path.join(folder, runFiles.trials, id);
  const write = (name: string, file: VersionedFile<z.ZodType>, value: object): Promise<void> =>
    writeFileIn(known, name, jsonText({ kind: file.kind, schemaVersion: file.schemaVersion, toolVersion, ...value }));
  const trialLocation = (id: string) => ({ runFolder: known, trial: path.join(runFiles.trials, id) });
  const manifest = manifestOf(known);
  const recordOf = (id: string): string => `${runFiles.trials}/${id}/${trialFiles.trial}`;
  const noteTrial = (trial: Trial): Promise<void> => write(recordOf(trial.id), trialFile, trial);
  /**
   * Records what counts of trials that were cut off, and at last adds their files to the manifest, with the logs of
   * loading. Everything else that a run writes is added when it is written, so a file without a line was put there by
   * someone else.
   */
  async function sealRest(trials: readonly Trial[]): Promise<void> {
    const sealed = readSums(folder) ?? new Map<string, string>();
    for (const trial of trials) {
      const isOpen = trial.state === 'interrupted' && !sealed.has(recordOf(trial.id));
      if (isOpen && exists(path.join(folder, recordOf(trial.id)))) await noteTrial(trial);
    }
    // Only `saveLater` adds anything to the files of a sealed trial.
    const isOfOpenTrial = ([top, id = '']: readonly string[]): boolean =>
      top === runFiles.trials && trials.some((trial) => trial.id === id) && !sealed.has(recordOf(id));
    const files = (await filesOfRun(folder)).filter(
      (file) => !sealed.has(file) && (isLog(file) || isOfOpenTrial(file.split('/'))),
    );
    await manifest.seal(files);
  }
  /** Whoever wrote the record before wrote it after the inputs, and each of these durably. */
  async function sealRun(): Promise<void> {
    const inputs = (await filesOfRun(folder)).filter((file) => file.startsWith(`${runFiles.inputs}/`));
    await manifest.seal([runFiles.run, ...inputs]);
  }
  /** By their names in the folder of their trial. */
  const sizesOf = (names: readonly string[]): Record<string, number> =>
    Object.fromEntries(names.map((name) => [name.split('/').slice(2).join('/'), sizeOf(path.join(folder, name))]));
  /** @throws {UserError} if they were changed: a new manifest would cover that up */
  function stepsThatCount(): string {
    const before = readText(folder, runFiles.steps, null);
    const whole = wholeLines(before?.text ?? '')
      .map((line) => `${line}\n`)
      .join('');
    const agreement = agreementOf(readSums(folder), runFiles.steps, Buffer.from(whole));
    if (!before || agreement === 'unsealed') return '';
    const error = disagreementOf(before.source, agreement);
    if (error) throw error;
    return whole;
  }
  return {
    location,
    known,
    get folder() {
      requireSameFolder(known);
      return folder;
    },
    trialFolder(id) {
      requireSameFolder(known);
      const trials = makeFolderIn(folder, runFiles.trials);
      if (exists(path.join(trialPath(id), trialFiles.trial))) {
        throw new UserError(`${trialPath(id)} already exists. Remove it if it is not from this run.`);
      }
      // The runner was killed before the trial could begin.
      removeTree(trialPath(id));
      return makeFolderIn(trials, id);
    },
    async saveRun(run: RunRecord) {
      await write(runFiles.run, runFile, run);
      await sealRun();
    },
    async goOn() {
      requireSameFolder(known);
      await removeUnfinished(known);
      if (!readSums(folder)?.has(runFiles.run)) await sealRun();
      removeFile(path.join(folder, runFiles.result));
      // Loading writes new logs.
      const logs = [...(readSums(folder)?.keys() ?? [])].filter(isLog);
      await manifest.unseal([runFiles.result, ...logs]);
    },
    async saveStep(step: CarriedOutStep) {
      const text = `${stepsThatCount()}${JSON.stringify(step)}\n`;
      await manifest.replace([runFiles.steps], () => writeFileIn(known, runFiles.steps, text));
    },
    noteTrial,
    async saveTrial(trial: Trial, rows: readonly SeriesRow[]) {
      const series = await writeSeries(trialLocation(trial.id), rows);
      const own = await filesOfTrial(folder, trial.id, trial.state === 'finished');
      const record = recordOf(trial.id);
      const saved = { ...trial, series, files: sizesOf(own.filter((name) => name !== record)) };
      await write(path.join(runFiles.trials, trial.id, trialFiles.trial), trialFile, saved);
      await manifest.seal([...new Set([...own, record])]);
      return saved;
    },
    async giveUp(trial) {
      const sealed = [...(readSums(folder)?.keys() ?? [])];
      await manifest.unseal(sealed.filter((name) => name.startsWith(`${runFiles.trials}/${trial.id}/`)));
      await noteTrial(trial);
    },
    async saveLater(id: string, findings: LaterFindings, rows: readonly SeriesRow[] = []) {
      const { collector } = findings;
      const file = `${runFiles.trials}/${id}/${trialFiles.later}/${collector}.json`;
      let saved = findings;
      await manifest.replace([`${runFiles.trials}/${id}/${laterSeriesFile(collector)}`, file], async () => {
        // The series come first, so that they can be read as soon as the findings are visible.
        saved = { ...findings, series: await writeSeries(trialLocation(id), rows, laterSeriesFile(collector)) };
        await write(file, laterFile, saved);
      });
      return saved;
    },
    async saveResult(result: Result) {
      await sealRest(result.trials);
      await manifest.replace([runFiles.result], () => write(runFiles.result, resultFile, result));
    },
    publish: () => Promise.resolve(null),
    series: folderSeries(folder),
  };
}

/**
 * Reads the result that a run left at its end; null if the run did not end normally, or was killed before its result
 * was in the manifest: then the result is made from the trials.
 *
 * @throws {UserError} if the file is damaged, does not match the manifest, or has a version that this pgduet does not
 *   read
 */
export function readResultFile(folder: string): Result | null {
  const found = readStoredResult(folder);
  requireAgreement(found?.disagreements ?? []);
  return found?.result ?? null;
}

/** The same, together with what does not agree with the manifest. */
export function readStoredResult(folder: string): StoredResult | null {
  return parseStoredResult(readText(folder, runFiles.result, readSums(folder)));
}

/** What a run wrote before it loaded; null if there is no run. */
export function readRunRecord(folder: string): RunRecord | null {
  const read = readText(folder, runFiles.run, null);
  return read && parseVersioned(read.text, read.source, runFile);
}

/**
 * The folder of the run that a user names (files/named-run.ts).
 *
 * @throws {UserError} if it is not a folder, or this user may not read it
 */
export function namedRunFolder(named: string): string {
  const folder = runFolderAt(named);
  const why = whyNoFolder(folder);
  if (why !== null) throw noRun(folder, why);
  return folder;
}

function noRun(folder: string, why: string): UserError {
  return new UserError(`${folder} contains no pgduet run: ${why}. ${runFile.remedy}`, { failure: 'no-run' });
}

/** @throws {UserError} if there is no run, or if a file of it cannot be read */
export function readRunFolder(folder: string): StoredRun {
  const sums = readSums(folder);
  const run = readText(folder, runFiles.run, sums);
  if (!run) {
    throw noRun(folder, `there is no ${runFiles.run}`);
  }
  return parseStoredRun({
    run,
    steps: readText(folder, runFiles.steps, sums) ?? noSteps(sums, folder),
    trials: namesIn(path.join(folder, runFiles.trials)).flatMap((id) => readTrial(folder, id, sums) ?? []),
    missing: missingTrials(sums, (name) => exists(path.join(folder, name)), folder),
  });
}

/** null for a trial that was about to begin. */
function readTrial(folder: string, id: string, sums: Sums | null): TrialTexts | null {
  const own = `${runFiles.trials}/${id}`;
  const trial = readText(folder, `${own}/${trialFiles.trial}`, sums);
  const names = namesIn(path.join(folder, own, trialFiles.later)).filter((name) => name.endsWith('.json'));
  const later = names.flatMap((name) => readText(folder, `${own}/${trialFiles.later}/${name}`, sums) ?? []);
  return trial && { id, trial, later };
}

/** null if there is no such file. @throws {UserError} if it cannot be read */
function readText(folder: string, name: string, sums: Sums | null): FileText | null {
  const source = path.join(folder, name);
  try {
    const bytes = readFileIn(folder, name);
    return { source, text: bytes.toString('utf8'), agreement: agreementOf(sums, name, bytes) };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw unreadable(source, error);
  }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
