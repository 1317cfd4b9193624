import type { S3Client } from '@aws-sdk/client-s3';
import { UserError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import type { ChangedFileError } from '../contract/versioned-file.ts';
import { readSums, type Sums } from '../files/sums.ts';
import { sumsOf } from '../storage/manifest.ts';
import { readRunFolder, readStoredResult } from '../storage/run-folder.ts';
import type { StoredRun } from '../storage/run-store.ts';
import {
  disagreementOfSeries,
  readHere,
  type ReadSealed,
  sealedReader,
  type SeriesSource,
  seriesSource,
} from '../storage/series.ts';
import type { StoredResult } from '../storage/stored-run.ts';
import { assembleResult } from './assemble.ts';
import { withKnownDefinition } from './known-definition.ts';
import { withTrialIds } from './counted-trials.ts';
import { withSideValues } from './side-values.ts';
import { markUnsealed, markUnverified } from './unverified.ts';
import { judgeAgain } from './validity/judge-again.ts';

/** A result with the series of its trials. A series is read only when somebody asks for it. */
export interface OpenedResult {
  result: Result;
  series: SeriesSource;
}

export interface OpenOptions {
  /**
   * Whether what is not as the manifest of the run has it is shown all the same: marked, without verdicts, and without the trials
   * and series of which it is known. @default it is refused
   */
  unverified?: boolean;
  /** Ends what reads its series. */
  signal?: AbortSignal;
}

/**
 * The result in the folder of a run. If the run did not end in order, the result is made from its trials.
 *
 * @throws {UserError} if there is no result, or a file of it is damaged or not as the manifest has it
 */
export async function openFolder(folder: string, options: OpenOptions = {}): Promise<OpenedResult> {
  const read = sealedReader((name) => readHere(folder, name), sumsOf(folder));
  const content = readStoredResult(folder) ?? readRunFolder(folder);
  return opened({ content, sums: readSums(folder), read, location: `${folder}/` }, options);
}

/**
 * The same for an s3:// address.
 *
 * @returns the result, and in `location` the address of the run's folder
 */
export async function openAddress(
  s3: S3Client,
  address: string,
  options: OpenOptions = {},
): Promise<OpenedResult & { location: string }> {
  const { readBucketRun } = await import('../storage/bucket-run.ts');
  const run = await readBucketRun(s3, address);
  return { ...(await opened(run, options)), location: run.location };
}

interface ReadRun {
  content: StoredResult | StoredRun;
  sums: Sums | null;
  read: ReadSealed;
  /** With a slash at its end. */
  location: string;
}

async function opened(
  { content, sums, read, location }: ReadRun,
  { unverified = false, signal }: OpenOptions,
): Promise<OpenedResult> {
  const series = seriesSource(read, location, signal);
  if (!unverified) {
    const [first] = content.disagreements;
    if (first) {
      throw new UserError(`${first.message} Or see it without verdicts: pgduet report --unverified.`, { cause: first });
    }
    const result = await resultOf(content, series, location);
    return { result: sums ? result : markUnsealed(result), series };
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
  return { result: markUnverified(sums ? result : markUnsealed(result), problems), series: known };
}

/** Trials whose series are not known to be theirs count as lost. */
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
  const folder = location.replace(/^(?!s3:)(.*)\/$/, '$1');
  if ('result' in found) {
    const known = withKnownDefinition(found.result, folder);
    return { ...known, comparisons: withTrialIds(withSideValues(known.comparisons), known.trials) };
  }
  return resultSoFar({ ...found, run: withKnownDefinition(found.run, folder) }, series);
}

/** The result of a run of which nothing says that it ended. */
export async function resultSoFar(stored: StoredRun, series: SeriesSource): Promise<Result> {
  const { run, steps } = stored;
  const trials = await judgeAgain(stored, series);
  const result = await assembleResult({ run, steps, trials }, { endedAt: null }, series);
  return { ...result, warnings: [...stored.caveats, ...result.warnings] };
}
