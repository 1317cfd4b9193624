import type { S3Client } from '@aws-sdk/client-s3';
import type { Result } from '../contract/result.ts';
import { readResultFile, readRunFolder } from '../storage/run-folder.ts';
import { folderSeries, type SeriesSource } from '../storage/series.ts';
import { assembleResult } from './assemble.ts';

/** A result with the series of its trials, which are read only where somebody asks for them. */
export interface OpenedResult {
  result: Result;
  series: SeriesSource;
}

/**
 * The result in the folder of a run: as the run left it at its end, or of a run that did not end in order made of its trials.
 *
 * @throws {UserError} where there is none, or a file of it is damaged
 */
export async function openFolder(folder: string): Promise<OpenedResult> {
  const series = folderSeries(folder);
  const result = readResultFile(folder) ?? (await assembleResult(readRunFolder(folder), { endedAt: null }, series));
  return { result, series };
}

/**
 * The same of an s3:// address.
 *
 * @returns with the address of the run's folder
 */
export async function openAddress(s3: S3Client, address: string): Promise<OpenedResult & { location: string }> {
  const { readBucketRun } = await import('../storage/bucket-run.ts');
  const { content, series, location } = await readBucketRun(s3, address);
  const result = 'result' in content ? content.result : await assembleResult(content.stored, { endedAt: null }, series);
  return { result, series, location };
}
