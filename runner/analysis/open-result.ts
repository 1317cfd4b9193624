import type { S3Client } from '@aws-sdk/client-s3';
import type { Result } from '../contract/result.ts';
import { readResultFile, readRunFolder } from '../storage/run-folder.ts';
import { folderSeries, type SeriesSource } from '../storage/series.ts';
import type { StoredRun } from '../storage/run-store.ts';
import { assembleResult } from './assemble.ts';
import { withKnownDefinition } from './known-definition.ts';
import { withSideValues } from './side-values.ts';
import { judgeAgain } from './validity/judge-again.ts';

/** A result with the series of its trials. A series is read only when somebody asks for it. */
export interface OpenedResult {
  result: Result;
  series: SeriesSource;
}

/**
 * The result in the folder of a run. If the run did not end in order, the result is made from its trials.
 *
 * @param signal ends what reads its series
 * @throws {UserError} if there is no result, or a file of it is damaged
 */
export async function openFolder(folder: string, signal?: AbortSignal): Promise<OpenedResult> {
  const series = folderSeries(folder, signal);
  const found = readResultFile(folder) ?? readRunFolder(folder);
  return { result: await resultOf(found, series, folder), series };
}

/**
 * The same for an s3:// address.
 *
 * @returns the result, and in `location` the address of the run's folder
 */
export async function openAddress(
  s3: S3Client,
  address: string,
  signal?: AbortSignal,
): Promise<OpenedResult & { location: string }> {
  const { readBucketRun } = await import('../storage/bucket-run.ts');
  const { content, series, location } = await readBucketRun(s3, address, signal);
  const found = 'result' in content ? content.result : content.stored;
  return { result: await resultOf(found, series, location), series, location };
}

async function resultOf(found: Result | StoredRun, series: SeriesSource, location: string): Promise<Result> {
  if (!('run' in found)) {
    const known = withKnownDefinition(found, location);
    return { ...known, comparisons: withSideValues(known.comparisons) };
  }
  return resultSoFar({ ...found, run: withKnownDefinition(found.run, location) }, series);
}

/** The result of a run of which nothing says that it ended. */
export async function resultSoFar(stored: StoredRun, series: SeriesSource): Promise<Result> {
  const { run, steps } = stored;
  return assembleResult({ run, steps, trials: await judgeAgain(stored, series) }, { endedAt: null }, series);
}
