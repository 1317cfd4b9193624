import type { S3Client } from '@aws-sdk/client-s3';
import { type Bucket, openBucket, parseS3Address } from '../aws/bucket.ts';
import { UserError } from '../contract/errors.ts';
import { type Result, resultFile } from '../contract/result.ts';
import { parseRunStatus, type RunStatus, statusName } from '../contract/status.ts';
import { laterCollectors } from '../contract/trial.ts';
import { parseVersioned } from '../contract/versioned-file.ts';
import { runFiles, trialFiles } from './run-folder.ts';
import type { StoredRun } from './run-store.ts';
import { type SeriesSource, seriesSource } from './series.ts';
import { type FileText, parseStoredRun, type TrialTexts } from './stored-run.ts';

/** A run in a bucket: its result, or if the run did not end in order, what a result can be made from. */
export interface BucketRun {
  /** Address of the run's folder, with a slash at its end. */
  location: string;
  content: { result: Result } | { stored: StoredRun };
  series: SeriesSource;
}

/**
 * Reads the run at an s3:// address, or at the folder of a deploy its newest run.
 *
 * @throws {UserError} if there is none
 */
export async function readBucketRun(s3: S3Client, address: string, signal?: AbortSignal): Promise<BucketRun> {
  const place = parseS3Address(address.replace(/\/result\.json$/, ''));
  const bucket = openBucket(s3, place);
  if ((await bucket.readText(runFiles.run)) !== null) {
    // Only the status, two folders up, tells which trials there are. So we need not be allowed to list the run's folder.
    const deploy = openBucket(s3, { ...place, prefix: place.prefix.split('/').slice(0, -3).join('/') + '/' });
    return readRun(bucket, await readStatus(deploy), signal);
  }
  const status = await readStatus(bucket);
  if (status === null) {
    throw new UserError(
      `${bucket.location} holds no result. Name what the stack's output Results says, or a run below it.`,
    );
  }
  if (status.run === null) {
    throw new UserError(`${bucket.location} has no result: the run was refused. ${status.problems.join(' ')}`);
  }
  return readRun(openBucket(s3, { ...place, prefix: `${place.prefix}${status.run}` }), status, signal);
}

/** The status of a deploy; null if its driver has not begun yet. @throws {UserError} if it cannot be read */
export async function readStatus(deploy: Bucket): Promise<RunStatus | null> {
  const text = await deploy.readText(statusName);
  return text === null ? null : parseRunStatus(text, `${deploy.location}${statusName}`);
}

async function readRun(bucket: Bucket, status: RunStatus | null, signal?: AbortSignal): Promise<BucketRun> {
  const { location } = bucket;
  const series = seriesSource((name) => readBytes(bucket, name), location, signal);
  const result = await bucket.readText(runFiles.result);
  if (result !== null) {
    return {
      location,
      series,
      content: { result: parseVersioned(result, `${location}${runFiles.result}`, resultFile) },
    };
  }
  const run = await readText(bucket, runFiles.run);
  if (run === null || status === null || status.run === null || !location.endsWith(status.run)) {
    throw new UserError(`${location} has no result yet: the run has not begun.`);
  }
  const steps = (await readText(bucket, runFiles.steps)) ?? { source: `${location}${runFiles.steps}`, text: '' };
  const trials = await Promise.all(status.trials.map(({ id }) => readTrial(bucket, id)));
  const stored = parseStoredRun({ run, steps, trials: trials.filter((trial) => trial !== null) });
  return { location, series, content: { stored } };
}

/** null if the trial is not there yet. */
async function readTrial(bucket: Bucket, id: string): Promise<TrialTexts | null> {
  const folder = `${runFiles.trials}/${id}/`;
  const trial = await readText(bucket, `${folder}${trialFiles.trial}`);
  const later = await Promise.all(
    laterCollectors.map((name) => readText(bucket, `${folder}${trialFiles.later}/${name}.json`)),
  );
  return trial && { id, trial, later: later.filter((one) => one !== null) };
}

/** null if there is no such object. */
async function readText(bucket: Bucket, name: string): Promise<FileText | null> {
  const text = await bucket.readText(name);
  return text === null ? null : { source: `${bucket.location}${name}`, text };
}

async function readBytes(bucket: Bucket, name: string): Promise<Uint8Array> {
  const bytes = await bucket.readBytes(name);
  if (bytes === null) throw new Error('there is no such object');
  return bytes;
}
