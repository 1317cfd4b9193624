import path from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { type Bucket, openBucket, parseS3Address } from '../aws/bucket.ts';
import { UserError } from '../../contract/errors.ts';
import { parseRunStatus, type RunStatus, statusName } from '../../contract/status.ts';
import { agreementOf, parseSums, type Sums, sumsFile } from '../../files/sums.ts';
import { runFiles, trialFiles } from '../../storage/run-files.ts';
import type { ReadRemote, RemoteRun } from '../../storage/remote-run.ts';
import { sealedReader } from '../../storage/series.ts';
import {
  type FileText,
  missingTrials,
  noSteps,
  parseStoredResult,
  parseStoredRun,
  trialsIn,
  type TrialTexts,
} from '../../storage/stored-run.ts';

/**
 * Reads the run at an s3:// address; if the address is that of a deploy, the newest run there.
 *
 * @throws {UserError} if there is none
 */
export async function readBucketRun(s3: S3Client, address: string): Promise<RemoteRun> {
  const place = parseS3Address(address.replace(/\/result\.json$/, ''));
  const bucket = openBucket(s3, place);
  if ((await bucket.readText(runFiles.run)) !== null) {
    // Only the status, two folders up, lists the trials. So we need no permission to list the run's folder.
    const deploy = openBucket(s3, { ...place, prefix: place.prefix.split('/').slice(0, -3).join('/') + '/' });
    return readRun(bucket, await readStatus(deploy));
  }
  const status = await readStatus(bucket);
  if (status === null) {
    throw new UserError(
      `${bucket.location} contains no result. Specify the address in the stack's output Results, or a run below it.`,
    );
  }
  if (status.run === null) {
    throw new UserError(`${bucket.location} has no result: pgduet rejected the run. ${status.problems.join(' ')}`);
  }
  return readRun(openBucket(s3, { ...place, prefix: `${place.prefix}${status.run}` }), status);
}

/** The status of a deploy; null if its driver has not begun yet. @throws {UserError} if it cannot be read */
export async function readStatus(deploy: Bucket): Promise<RunStatus | null> {
  const text = await deploy.readText(statusName);
  return text === null ? null : parseRunStatus(text, `${deploy.location}${statusName}`);
}

async function readRun(bucket: Bucket, status: RunStatus | null): Promise<RemoteRun> {
  const { location } = bucket;
  const sums = await readBucketSums(bucket);
  const opened = {
    location,
    sumOf: (name: string) => bucket.sumOf(name),
    sums,
    read: sealedReader(
      (name) => readBytes(bucket, name),
      () => sums,
    ),
  };
  const result = parseStoredResult(await readText(bucket, runFiles.result, sums));
  if (result) return { ...opened, content: result };
  const run = await readText(bucket, runFiles.run, sums);
  if (run === null || status === null || status.run === null || !location.endsWith(status.run)) {
    throw new UserError(`${location} has no result yet: the run has not started.`);
  }
  const steps = (await readText(bucket, runFiles.steps, sums)) ?? noSteps(sums, location);
  const ids = new Set([...status.trials.map(({ id }) => id), ...trialsIn(sums)]);
  const trials = (await Promise.all([...ids].map((id) => readTrial(bucket, id, sums)))).filter(
    (trial) => trial !== null,
  );
  const there = new Set(trials.flatMap(({ trial, later }) => [trial, ...later].map(({ source }) => source)));
  const missing = missingTrials(sums, (name) => there.has(`${location}${name}`), location);
  return { ...opened, content: parseStoredRun({ run, steps, trials, missing }) };
}

/** The manifest of the run in a bucket; null if it has none. @throws {UserError} if it is damaged */
async function readBucketSums(bucket: Bucket): Promise<Sums | null> {
  const text = await bucket.readText(sumsFile);
  return text === null ? null : parseSums(text, `${bucket.location}${sumsFile}`);
}

/** null if the trial is not there yet. */
async function readTrial(bucket: Bucket, id: string, sums: Sums | null): Promise<TrialTexts | null> {
  const folder = `${runFiles.trials}/${id}/`;
  const trial = await readText(bucket, `${folder}${trialFiles.trial}`, sums);
  // A file that the manifest does not name counts for nothing. So we need no permission to list the folder.
  const names = [...(sums?.keys() ?? [])].filter(
    (name) => path.posix.dirname(name) === `${folder}${trialFiles.later}` && name.endsWith('.json'),
  );
  const later = await Promise.all(names.sort().map((name) => readText(bucket, name, sums)));
  return trial && { id, trial, later: later.filter((one) => one !== null) };
}

/** null if there is no such object. */
async function readText(bucket: Bucket, name: string, sums: Sums | null): Promise<FileText | null> {
  const bytes = await bucket.readBytes(name);
  return (
    bytes && {
      source: `${bucket.location}${name}`,
      text: new TextDecoder().decode(bytes),
      agreement: agreementOf(sums, name, bytes),
    }
  );
}

async function readBytes(bucket: Bucket, name: string): Promise<Uint8Array> {
  const bytes = await bucket.readBytes(name);
  if (bytes === null) throw new Error('there is no such object');
  return bytes;
}

/** Makes a client only when one is needed: commands on folders start without loading the AWS libraries. */
export async function openBuckets(interrupted: AbortSignal, region?: string): Promise<ReadRemote> {
  const { awsClients } = await import('../aws/clients.ts');
  return bucketReader(awsClients(region, interrupted).s3);
}

/** Reads runs at s3:// addresses. */
export function bucketReader(s3: S3Client): ReadRemote {
  return (address) => readBucketRun(s3, address);
}

/** A deploy whose driver writes to a bucket. */
export interface WatchedDeploy {
  /** Address of its results, with a slash at its end. */
  location: string;
  /** null if its driver has not begun yet. @throws {UserError} if it cannot be read */
  readStatus: () => Promise<RunStatus | null>;
  readRemote: ReadRemote;
}

export function watchedDeploy(s3: S3Client, place: ReturnType<typeof parseS3Address>): WatchedDeploy {
  const bucket = openBucket(s3, place);
  return { location: bucket.location, readStatus: () => readStatus(bucket), readRemote: bucketReader(s3) };
}

/** The deploy whose results are at an s3:// address. */
export async function watchedAt(address: string, interrupted: AbortSignal, region?: string): Promise<WatchedDeploy> {
  const { awsClients } = await import('../aws/clients.ts');
  return watchedDeploy(awsClients(region, interrupted).s3, parseS3Address(address));
}
