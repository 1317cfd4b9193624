import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Binding } from '../../../runner/rds/contract/binding.ts';
import { type RunStatus, parseRunStatus } from '../../../runner/contract/status.ts';
import type { Account } from './account.ts';

/** Keys below the prefix of one deploy, relative to the prefix. */
export async function objectsOf({ s3 }: Account, { results }: Binding): Promise<string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: results.bucket, Prefix: results.prefix }));
  return Contents.map(({ Key = '' }) => Key.slice(results.prefix.length));
}

export async function objectText({ s3 }: Account, { results }: Binding, name: string): Promise<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: results.bucket, Key: `${results.prefix}${name}` }));
  return (await Body?.transformToString()) ?? '';
}

/** null if the driver has not begun. */
export async function statusOf(account: Account, binding: Binding): Promise<RunStatus | null> {
  const text = await objectText(account, binding, 'status.json').catch(() => null);
  return text === null ? null : parseRunStatus(text, 'status.json');
}
