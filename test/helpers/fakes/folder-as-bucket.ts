import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { fakeAws, s3Error } from './fake-aws.ts';

/** A bucket for reading, whose objects are the files of a folder; used through the real client. */
export function folderAsBucket(folder: string): S3Client {
  const aws = fakeAws(({ path: address }) => {
    const file = path.join(folder, decodeURIComponent(address.split('?')[0] ?? ''));
    return existsSync(file)
      ? { body: readFileSync(file) }
      : s3Error('NoSuchKey', 'The specified key does not exist.', 404);
  });
  return new S3Client(aws.options);
}
