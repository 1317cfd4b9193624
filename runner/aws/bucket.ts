import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { GetObjectCommand, type GetObjectCommandOutput, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { UserError } from '../contract/errors.ts';
import { AwsCallError, callAws } from './call.ts';

/** The part of a bucket below one prefix. Names are relative to it. */
export interface Bucket {
  /** Address such as `s3://results/dlv-pgbench/alice/1f0c/`, with a slash at its end. */
  location: string;
  /** @throws {AwsCallError} */
  putText(name: string, text: string): Promise<void>;
  /** Files may have any size. Big ones are sent in parts, and each part is tried again by itself. @throws {AwsCallError} */
  putFile(name: string, file: string): Promise<void>;
  /** null if there is no such object. @throws {AwsCallError} */
  readText(name: string): Promise<string | null>;
  /** null if there is no such object. @throws {AwsCallError} */
  readBytes(name: string): Promise<Uint8Array | null>;
}

const contentTypes: Record<string, string> = {
  '.gz': 'application/gzip',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.csv': 'text/csv; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
};

/** Larger files are sent in parts. This is the smallest part that S3 takes. */
const partBytes = 5 * 1024 * 1024;

export function openBucket(s3: S3Client, { bucket, prefix }: { bucket: string; prefix: string }): Bucket {
  const target = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` });
  const typed = (name: string) => ({
    ...target(name),
    ContentType: contentTypes[path.extname(name)] ?? 'application/octet-stream',
  });
  const address = (name: string): string => `s3://${bucket}/${prefix}${name}`;
  const put = (name: string, body: string | Buffer): Promise<unknown> =>
    callAws('s3:PutObject', address(name), () => s3.send(new PutObjectCommand({ ...typed(name), Body: body })));
  return {
    location: address(''),
    async putText(name, text) {
      await put(name, text);
    },
    async putFile(name, file) {
      if ((await stat(file)).size <= partBytes) {
        await put(name, await readFile(file));
        return;
      }
      // The bucket's lifecycle rule removes the parts of a failed upload: to abort the upload would take a permission of its
      // own.
      await callAws('s3:PutObject', address(name), () =>
        new Upload({
          client: s3,
          params: { ...typed(name), Body: createReadStream(file) },
          leavePartsOnError: true,
        }).done(),
      );
    },
    readText: (name) => read(name, (body) => body.transformToString()),
    readBytes: (name) => read(name, (body) => body.transformToByteArray()),
  };

  async function read<T>(name: string, as: (body: NonNullable<GetObjectCommandOutput['Body']>) => Promise<T>) {
    try {
      return await callAws('s3:GetObject', address(name), async () => {
        const { Body } = await s3.send(new GetObjectCommand(target(name)));
        return Body === undefined ? null : as(Body);
      });
    } catch (error) {
      if (error instanceof AwsCallError && error.code === 'NoSuchKey') return null;
      throw error;
    }
  }
}

/**
 * Bucket and prefix of an address such as `s3://results/dlv-pgbench/alice/1f0c`; the prefix gets a slash at its end.
 *
 * @throws {UserError} if the address names no folder in a bucket
 */
export function parseS3Address(address: string): { bucket: string; prefix: string } {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/.exec(address);
  if (!match) {
    throw new UserError(
      `${address} names no folder in a bucket. Expected s3://BUCKET/FOLDER/, as the stack's output Results.`,
    );
  }
  const [, bucket = '', key = ''] = match;
  if (key.split('/').some((part) => part === '.' || part === '..')) {
    throw new UserError(`${address} goes through . or .., which are no folders in a bucket. Leave them out.`);
  }
  return { bucket, prefix: `${key.replace(/\/+$/, '')}/` };
}
