import path from 'node:path';
import { isLost } from '../analysis/counted-trials.ts';
import { resultSoFar } from '../analysis/open-result.ts';
import { UserError } from '../contract/errors.ts';
import type { Experiment, WrittenExperiment } from '../contract/experiment/schema.ts';
import type { RunRecord } from '../contract/run-record.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { type Trial, troubleOf } from '../contract/trial.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import { latestRunRecord, resumeFolderStore } from '../storage/results-folder.ts';
import { readSums, sumsFile } from '../files/sums.ts';
import { runFiles, sumsOf } from '../storage/run-files.ts';
import { readRunFolder, readStoredResult } from '../storage/run-folder.ts';
import { disagreementOfSeries, readHere, sealedReader } from '../storage/series.ts';
import type { RunStore, StoredRun } from '../storage/run-store.ts';
import { hashLargeFiles } from '../workloads/loaded-with.ts';
import { filesOf } from '../workloads/of-variants.ts';
import { compareWithManifest, type CutShort, giveUpCutShort } from './cut-short.ts';
import type { PlannedRun } from './run-shape.ts';
import { blocksLeft } from './measure-blocks.ts';
import { requireSame, differencesBetween, identityOfWork, type WorkRecord } from './run-identity.ts';

export interface UnfinishedRun {
  store: RunStore;
  earlier: StoredRun;
  /** Whether nothing is left to measure, and only the result is missing. */
  measured: boolean;
  /** What the user must know of its files; null if they are as they were written. */
  warning: string | null;
}

type WantedRun = Pick<PlannedRun, 'experiment' | 'profile' | 'inputs' | 'isSeedDrawn'>;

/**
 * Finds an unfinished run of the same work, to resume it.
 *
 * @param signal ends it, with its reason
 * @throws {UserError} if there is none, if it has nothing left to measure, or if it measured something else: its trials
 *   would be mistaken for trials of this run
 */
export async function unfinishedRun(results: string, run: WantedRun, signal: AbortSignal): Promise<UnfinishedRun> {
  const store = resumeFolderStore(results);
  const found = await readVerified(store, signal);
  const { run: record } = found.earlier;
  // A seed that was only just drawn is not a difference that the user could correct.
  const wanted = run.isSeedDrawn === true ? withSeed(run, record.experiment.seed) : run;
  requireSame(store.location, identityOfWork(record), identityOfWork(await workOf(wanted, signal)));
  const { earlier, warning } = await withoutCutShort(store, found);
  const result = readStoredResult(store.folder)?.result;
  if (result?.complete) {
    throw new UserError(`--resume: ${store.location} is complete. Omit --resume to start a new run.`);
  }
  const { trials } = await resultSoFar(earlier, store.series);
  const measured = blocksLeft(makePlan(run.experiment, run.profile), run.experiment, trials).length === 0;
  if (measured && result)
    throw new UserError(nothingLeft(store.location, trials.filter(isLost), result.stoppedBy?.message));
  return { store, earlier, measured, warning };
}

function nothingLeft(location: string, lost: readonly Trial[], stoppedBy: string | undefined): string {
  if (lost.length === 0 && stoppedBy !== undefined) {
    return `--resume: ${location} has already ended. ${stoppedBy} Omit --resume to start a new run.`;
  }
  return [
    `--resume: ${location} has nothing left to measure. Its servers lost trials:`,
    ...lost.map((trial) => `  ${trial.id}: ${troubleOf(trial)}`),
    'pgduet does not repeat lost trials, because that would bias the result. Fix the cause, then omit --resume to start a new run.',
  ].join('\n');
}

/**
 * The newest run of a driver; null if no run has found its variants yet, or if a later deploy asks for something else.
 *
 * @throws {UserError} if the files of an earlier start were changed
 */
export async function latestRunIfAny(
  results: string,
  wanted: WantedRun,
  signal: AbortSignal,
): Promise<Omit<UnfinishedRun, 'measured'> | null> {
  const record = latestRunRecord(results);
  if (!record || !isSame(record, await workOf(wanted, signal))) return null;
  const store = resumeFolderStore(results);
  return { store, ...(await withoutCutShort(store, await readVerified(store, signal))) };
}

interface Verified {
  earlier: StoredRun;
  cutShort: readonly CutShort[];
}

/**
 * The run that an earlier start left.
 *
 * @throws {UserError} if something that would count was changed, or if nothing shows what it was
 */
async function readVerified({ folder, location }: RunStore, signal: AbortSignal): Promise<Verified> {
  const remedy = 'pgduet cannot resume this run. Omit --resume to start a new run.';
  const earlier = readRunFolder(folder);
  if (earlier.trials.length + earlier.unreadable.length > 0 && !readSums(folder)) {
    throw new UserError(
      `--resume: ${location} has no ${sumsFile}. Without it, pgduet cannot tell whether the trials have changed. ${remedy}`,
    );
  }
  const read = sealedReader((name) => readHere(folder, name), sumsOf(folder));
  const seriesDisagreements = await Promise.all(
    earlier.trials.map((trial) => disagreementOfSeries(read, trial, `${folder}/`)),
  );
  const result = readStoredResult(folder)?.disagreements ?? [];
  const { changed, cutShort } = await compareWithManifest(folder, earlier.trials, signal);
  const short = cutShort.map(({ id }) => path.join(folder, runFiles.trials, id, path.sep));
  const [first] = [
    ...earlier.disagreements,
    ...result,
    ...seriesDisagreements.filter((error) => error !== null),
    ...changed,
  ].filter(({ source }) => !short.some((trial) => source.startsWith(trial)));
  if (first) throw new UserError(`--resume: ${first.message} ${remedy}`, { cause: first });
  return { earlier, cutShort };
}

async function withoutCutShort(
  store: RunStore,
  { earlier, cutShort }: Verified,
): Promise<Pick<UnfinishedRun, 'earlier' | 'warning'>> {
  return (await giveUpCutShort(store, earlier, cutShort)) ?? { earlier, warning: null };
}

/**
 * The record of the newest run, if that measures the same; otherwise null, since another run has its own order. Its seed
 * was drawn, and its start may have had more blocks than the file says.
 */
export function recordToResume(
  results: string,
  { experiment, profile }: { experiment: WrittenExperiment; profile: string },
): RunRecord | null {
  const record = latestRunRecord(results);
  if (!record) return null;
  const { seed, definition: then } = record.experiment;
  const { blocks } = record.start ? then.protocol : experiment.protocol;
  const definition = { ...experiment, protocol: { ...experiment.protocol, seed, blocks } };
  const wanted = { toolVersion: record.toolVersion, tool: record.tool, experiment: { profile, definition } };
  return isSame(record, wanted) ? record : null;
}

function withSeed<T extends { experiment: WrittenExperiment }>(run: T, seed: number): T & { experiment: Experiment } {
  return { ...run, experiment: { ...run.experiment, protocol: { ...run.experiment.protocol, seed } } };
}

async function workOf({ experiment, profile, inputs }: WantedRun, signal: AbortSignal): Promise<WorkRecord> {
  const names = filesOf(experiment).all;
  return {
    experiment: { profile, definition: experiment },
    toolVersion,
    tool: { files: await hashLargeFiles(names, path.dirname(inputs.file), signal) },
  };
}

function isSame(record: RunRecord, wanted: WorkRecord): boolean {
  return differencesBetween(identityOfWork(record), identityOfWork(wanted)).length === 0;
}
