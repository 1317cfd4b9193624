import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../contract/errors.ts';
import { type CarriedOutStep, type Result, resultFile, runFile, type RunRecord } from '../contract/result.ts';
import type { SeriesRow } from '../contract/metric.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { laterFile, type LaterFindings, laterSeriesFile, type Trial, trialFile } from '../contract/trial.ts';
import { parseVersioned, type VersionedFile } from '../contract/versioned-file.ts';
import { makeFolderIn, removeFile, removeTree } from '../files/change.ts';
import { exists, namesIn } from '../files/look.ts';
import { readTextIfThere } from '../files/read.ts';
import { writeFileIn } from '../files/write.ts';
import { folderSeries, writeSeries } from './series.ts';
import type { RunStore, StoredRun } from './run-store.ts';
import { type FileText, parseStoredRun, type TrialTexts, wholeLines } from './stored-run.ts';

/** Names of the files in a run's folder; docs/results.md describes what they hold. */
export const runFiles = { run: 'run.json', steps: 'steps.jsonl', result: 'result.json', trials: 'trials' } as const;
/** Names in the folder of a trial, which is below `trials/`. */
export const trialFiles = { trial: 'trial.json', later: 'later' } as const;

/** @param location name of the folder as the user would write it */
export function runFolder(folder: string, location: string): RunStore {
  const trialPath = (id: string): string => path.join(folder, runFiles.trials, id);
  const write = (name: string, file: VersionedFile<z.ZodType>, value: object): Promise<void> =>
    writeFileIn(folder, name, jsonText({ kind: file.kind, schemaVersion: file.schemaVersion, toolVersion, ...value }));
  const ofTrial = (id: string): { runFolder: string; trial: string } => ({
    runFolder: folder,
    trial: path.join(runFiles.trials, id),
  });
  return {
    location,
    folder,
    trialFolder(id) {
      const trials = makeFolderIn(folder, runFiles.trials);
      if (exists(path.join(trialPath(id), trialFiles.trial))) {
        throw new UserError(`${trialPath(id)} is on record already. Remove it if this run has not made it.`);
      }
      // Its runner was killed before it could begin.
      removeTree(trialPath(id));
      return makeFolderIn(trials, id);
    },
    saveRun: (run: RunRecord) => write(runFiles.run, runFile, run),
    async saveStep(step: CarriedOutStep) {
      const file = path.join(folder, runFiles.steps);
      const lines = [...wholeLines(readText(file)?.text ?? ''), JSON.stringify(step)];
      await writeFileIn(folder, runFiles.steps, lines.map((line) => `${line}\n`).join(''));
    },
    noteTrial: (trial: Trial) => write(path.join(runFiles.trials, trial.id, trialFiles.trial), trialFile, trial),
    async saveTrial(trial: Trial, rows: readonly SeriesRow[]) {
      const saved = { ...trial, series: await writeSeries(ofTrial(trial.id), rows) };
      await write(path.join(runFiles.trials, trial.id, trialFiles.trial), trialFile, saved);
      return saved;
    },
    async saveLater(id: string, findings: LaterFindings, rows: readonly SeriesRow[] = []) {
      const { collector } = findings;
      // The series come first: who can see the findings can read them.
      const saved = { ...findings, series: await writeSeries(ofTrial(id), rows, laterSeriesFile(collector)) };
      await write(path.join(runFiles.trials, id, trialFiles.later, `${collector}.json`), laterFile, saved);
      return saved;
    },
    saveResult: (result: Result) => write(runFiles.result, resultFile, result),
    removeResult() {
      removeFile(path.join(folder, runFiles.result));
      return Promise.resolve();
    },
    publish: () => Promise.resolve(null),
    series: folderSeries(folder),
  };
}

/**
 * Reads the result that a run left at its end; null if the run did not end in order.
 *
 * @throws {UserError} if the file is damaged, or of a version that this pgduet does not read
 */
export function readResultFile(folder: string): Result | null {
  return readIfThere(path.join(folder, runFiles.result), resultFile);
}

/** What a run wrote before it loaded; null if there is no run. */
export function readRunRecord(folder: string): RunRecord | null {
  return readIfThere(path.join(folder, runFiles.run), runFile);
}

/** @throws {UserError} if there is no run, or if a file of it is damaged */
export function readRunFolder(folder: string): StoredRun {
  const run = readText(path.join(folder, runFiles.run));
  if (!run) {
    throw new UserError(`${folder} holds no run of pgduet: there is no ${runFiles.run}. ${runFile.remedy}`);
  }
  const steps = path.join(folder, runFiles.steps);
  const trials = path.join(folder, runFiles.trials);
  return parseStoredRun({
    run,
    steps: readText(steps) ?? { source: steps, text: '' },
    trials: namesIn(trials).flatMap((id) => readTrial(trials, id) ?? []),
  });
}

/** null for a trial that was about to begin. */
function readTrial(trials: string, id: string): TrialTexts | null {
  const trial = readText(path.join(trials, id, trialFiles.trial));
  const later = path.join(trials, id, trialFiles.later);
  const names = namesIn(later).filter((name) => name.endsWith('.json'));
  return trial && { id, trial, later: names.flatMap((name) => readText(path.join(later, name)) ?? []) };
}

function readIfThere<Schema extends z.ZodType>(file: string, of: VersionedFile<Schema>): z.output<Schema> | null {
  const read = readText(file);
  return read && parseVersioned(read.text, file, of);
}

/** null if there is no such file. @throws {UserError} if it cannot be read */
function readText(file: string): FileText | null {
  try {
    const text = readTextIfThere(file, { links: 'refused' });
    return text === null ? null : { source: file, text };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
