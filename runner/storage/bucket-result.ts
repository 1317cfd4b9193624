import type { S3Client } from '@aws-sdk/client-s3';
import { openBucket, parseS3Address } from '../aws/bucket.ts';
import { UserError } from '../contract/errors.ts';
import { parseResult } from './read-result.ts';
import type { Result } from '../contract/result.ts';
import { parseRunStatus, statusName } from '../contract/status.ts';

/**
 * The result at an s3:// address: of one run, or for the folder of a deploy that of its newest run.
 *
 * @returns with the address of the run's folder
 * @throws {UserError} where there is none
 */
export async function readBucketResult(s3: S3Client, address: string): Promise<{ result: Result; location: string }> {
  const place = parseS3Address(address.replace(/\/result\.json$/, ''));
  const bucket = openBucket(s3, place);
  const direct = await bucket.readText('result.json');
  if (direct !== null)
    return { result: parseResult(direct, `${bucket.location}result.json`), location: bucket.location };
  const status = await bucket.readText(statusName);
  if (status === null) {
    throw new UserError(
      `${bucket.location} holds no result. Name what the stack's output Results says, or a run below it.`,
    );
  }
  const { run } = parseRunStatus(status, `${bucket.location}${statusName}`);
  const text = await bucket.readText(`${run}result.json`);
  const location = `${bucket.location}${run}`;
  if (text === null) throw new UserError(`${location} has no result yet: the run has not come to its first trial.`);
  return { result: parseResult(text, `${location}result.json`), location };
}
