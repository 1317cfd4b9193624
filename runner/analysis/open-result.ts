import { type Warning, warningsOf } from '../contract/warnings.ts';
import * as z from 'zod';
import { UserError, withoutStop } from '../contract/errors.ts';
import { ownCommand } from '../contract/own-command.ts';
import type { Result } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import type { ChangedFileError } from '../contract/versioned-file.ts';
import { readSums, sumsFile } from '../files/sums.ts';
import { sumsOf } from '../storage/run-files.ts';
import type { ReadRemote, RemoteRun } from '../storage/remote-run.ts';
import { namedRunFolder, readRunFolder, readStoredResult } from '../storage/run-folder.ts';
import type { StoredRun } from '../storage/run-store.ts';
import { disagreementOfSeries, readHere, sealedReader, type SeriesSource, seriesSource } from '../storage/series.ts';
import type { StoredResult } from '../storage/stored-run.ts';
import { assembleResult } from './assemble.ts';
import { withTrialIds } from './counted-trials.ts';
import { withSideValues } from './side-values.ts';
import { rejudge } from './validity/rejudge.ts';
import { optionalCollectors, recordedExperimentSchema } from '../experiment/schema.ts';
import type { Comparison } from '../contract/comparison.ts';
import { notVerified } from './validity/comparison/not-verified.ts';
import { withFailedChecks, withhold } from './validity/judge-validity.ts';

/** A result with the series of its trials. A series is read only when it is needed. */
export interface OpenedResult {
  result: Result;
  series: SeriesSource;
}

/** The same of a run on a disk or in a bucket. */
interface OpenedRun extends OpenedResult {
  /** Whether its run has no manifest, as earlier versions left it. The warnings of the result say so. */
  isUnsealed: boolean;
}

export interface OpenOptions {
  /**
   * Whether to show a result although a file of it does not agree with the manifest of the run. It is then marked, and
   * has no verdicts, and the trials and series that are known to disagree are left out. @default it is refused
   */
  unverified?: boolean;
  /** Ends the reading of series. */
  signal?: AbortSignal;
}

/**
 * The result of the run that a user names (storage/run-folder.ts). If the run did not end in order, the result is made
 * from its trials.
 *
 * @throws {UserError} if there is no result, or if a file of it is damaged or does not agree with the manifest
 */
export async function openFolder(named: string, options: OpenOptions = {}): Promise<OpenedRun> {
  const folder = namedRunFolder(named);
  const read = sealedReader((name) => readHere(folder, name), sumsOf(folder));
  const content = readStoredResult(folder) ?? readRunFolder(folder);
  return opened({ content, sums: readSums(folder), read, location: `${folder}/` }, options);
}

/**
 * The same for a run elsewhere.
 *
 * @returns the result, and in `location` the address of the run's folder
 */
export async function openAddress(
  readRemote: ReadRemote,
  address: string,
  options: OpenOptions = {},
): Promise<OpenedRun & { location: string }> {
  const run = await readRemote(address);
  return { ...(await opened(run, options)), location: run.location };
}

async function opened(
  { content, sums, read, location }: Omit<RemoteRun, 'sumOf'>,
  { unverified = false, signal }: OpenOptions,
): Promise<OpenedRun> {
  const series = seriesSource(read, location, signal);
  const isUnsealed = sums === null;
  if (!unverified) {
    const [first] = content.disagreements;
    if (first) {
      throw new UserError(
        `${first.message} To see it without verdicts: ${ownCommand} report ${withoutSlash(location)} --unverified`,
        {
          cause: first,
        },
      );
    }
    const result = await resultOf(content, series, location);
    return { result: isUnsealed ? markUnsealed(result) : result, series, isUnsealed };
  }
  const trials = 'result' in content ? content.result.trials : content.trials;
  const changed = new Map<string, ChangedFileError>();
  for (const trial of trials) {
    const error = await disagreementOfSeries(read, trial, location);
    if (error) changed.set(trial.id, error);
  }
  const known: SeriesSource = {
    read: (trial) => (changed.has(trial.id) ? Promise.resolve(new Map()) : series.read(trial)),
  };
  const result = await resultOf(withoutTrials(content, changed), known, location);
  const problems = [...content.disagreements, ...changed.values()].map(({ message }) => message);
  return { result: markUnverified(isUnsealed ? markUnsealed(result) : result, problems), series: known, isUnsealed };
}

/** Without trials whose series may not be their own: these trials count as lost. */
function withoutTrials(
  content: StoredResult | StoredRun,
  changed: ReadonlyMap<string, ChangedFileError>,
): StoredResult | StoredRun {
  if ('result' in content) return content;
  return {
    ...content,
    trials: content.trials.filter(({ id }) => !changed.has(id)),
    unreadable: [...content.unreadable, ...[...changed].map(([id, error]) => ({ id, error }))],
  };
}

async function resultOf(found: StoredResult | StoredRun, series: SeriesSource, location: string): Promise<Result> {
  const folder = withoutSlash(location);
  if ('result' in found) {
    const known = withKnownDefinition(found.result, folder);
    const comparisons = withTrialIds(withSideValues(known.comparisons), known.trials);
    return { ...known, comparisons: withFailedChecks(comparisons, known.trials) };
  }
  return resultSoFar({ ...found, run: withKnownDefinition(found.run, folder) }, series);
}

function withoutSlash(location: string): string {
  return location.replace(/(?<=.)\/$/, '');
}

/** The result of a run that has no record of its end. */
export async function resultSoFar(stored: StoredRun, series: SeriesSource): Promise<Result> {
  const { run, steps } = stored;
  const trials = await rejudge(stored, series);
  const result = await assembleResult({ run, steps, trials }, { endedAt: null }, series);
  return { ...result, warnings: [...warningsOf('files-left-out', stored.caveats), ...result.warnings] };
}

/**
 * The run with its experiment in the form that this pgduet knows. Keys that an earlier pgduet did not write get their
 * default values. Keys and collectors that only another version knows are left out: what these collectors found is in
 * the trials.
 *
 * @param location of the run, for the message
 * @throws {UserError} if it is not a valid experiment
 */
export function withKnownDefinition<Run extends Pick<RunRecord, 'experiment'>>(run: Run, location: string): Run {
  const { experiment } = run;
  const definition = structuredClone(experiment.definition);
  // An earlier pgduet wrote `true`, and made one exchange.
  const { protocol } = definition as { protocol: { crossover?: unknown } };
  if (protocol.crossover === true) protocol.crossover = { exchanges: 1 };
  const { collect } = definition as { collect?: string[] };
  if (Array.isArray(collect)) definition.collect = collect.filter((name) => optionalCollectors.includes(name));
  for (const issue of recordedExperimentSchema.safeParse(definition).error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') removeKeys(definition, issue.path, issue.keys);
  }
  const { data, error } = recordedExperimentSchema.safeParse(definition);
  if (error) {
    throw new UserError(`The experiment of the run in ${location} is damaged:\n${z.prettifyError(error)}\nRerun.`);
  }
  const known = { ...data, protocol: { ...data.protocol, seed: experiment.seed } };
  return { ...run, experiment: { ...experiment, definition: known } };
}

function removeKeys(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const holder = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
  for (const key of keys) Reflect.deleteProperty(holder as object, key);
}

/**
 * Marks a result if part of it does not agree with the manifest of its run: it says so first of all, and has no
 * verdict.
 *
 * @param problems what does not agree, in words; if there are none, the result stays as it is
 */
function markUnverified(result: Result, problems: readonly string[]): Result {
  const known = [...new Set([...(result.unverified ?? []), ...problems])];
  if (known.length === 0) return result;
  return {
    ...result,
    unverified: known,
    warnings: [...unverifiedWarnings(known), ...result.warnings],
    comparisons: withoutVerdicts(result.comparisons, known),
  };
}

/** Takes every verdict away; the numbers stay, as a description. */
export function withoutVerdicts(comparisons: readonly Comparison[], problems: readonly string[]): Comparison[] {
  const [first = '', ...more] = problems;
  const finding = more.length === 0 ? withoutStop(first) : `${first} And ${more.length} more`;
  const failed = { id: notVerified.id, message: `${notVerified.name}: ${finding}`, trial: null };
  return comparisons.map((comparison) => withhold(comparison, [failed]));
}

export function unverifiedWarnings(problems: readonly string[]): Warning[] {
  return warningsOf('not-verified', [`NOT VERIFIED: do not rely on these numbers. ${problems.join(' ')}`]);
}

/** The warning about a run without a manifest, as earlier versions left it. */
export const unsealedWarnings = warningsOf('no-manifest', [
  `This run has no ${sumsFile}, so changes to its files cannot be detected.`,
]);

function markUnsealed(result: Result): Result {
  return { ...result, warnings: [...result.warnings, ...unsealedWarnings] };
}
