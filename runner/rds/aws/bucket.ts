import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { UserError } from '../../contract/errors.ts';
import { sizeOf } from '../../files/look.ts';
import { readFileWhole, readStream } from '../../files/read.ts';
import { AwsCallError, callAws } from './call.ts';

export type { S3Client };

/** The part of a bucket below one prefix. Names are relative to it. */
export interface Bucket {
  /** Address such as `s3://results/dlv-pgbench/alice/1f0c/`, with a slash at its end. */
  location: string;
  /**
   * @param signal ends the call
   * @throws {AwsCallError}
   */
  putText(name: string, text: string, signal?: AbortSignal): Promise<void>;
  /**
   * Files may have any size. Large ones are sent in parts, and each part is retried by itself.
   *
   * @returns what was sent
   * @throws {AwsCallError}
   * @throws {UserError} if it is not a regular file, but for example a link or a pipe
   */
  putFile(name: string, file: string, sending?: Sending): Promise<FileContent>;
  /** Whether the object exists, and is what `putFile` sent. @throws {AwsCallError} */
  holds(name: string, content: FileContent): Promise<boolean>;
  /** null if there is no such object. @throws {AwsCallError} */
  readText(name: string): Promise<string | null>;
  /** null if there is no such object. @throws {AwsCallError} */
  readBytes(name: string): Promise<Uint8Array | null>;
  /**
   * SHA-256 of an object of any size, in hexadecimal digits; null if there is no such object. @throws {AwsCallError}
   */
  sumOf(name: string): Promise<string | null>;
}

export interface Sending {
  /** Ends the upload, with its reason. */
  signal?: AbortSignal;
  /** Called when a part of a large file has arrived. */
  onPart?: () => void;
}

export interface FileContent {
  sizeBytes: number;
  /** In hexadecimal digits. The object keeps it as metadata. S3 checks what arrives with its own checksum. */
  sha256: string;
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

/** Larger files are sent in parts. This is the smallest part that S3 accepts. */
const partBytes = 5 * 1024 * 1024;

export function openBucket(s3: S3Client, { bucket, prefix }: { bucket: string; prefix: string }): Bucket {
  const target = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` });
  const typed = (name: string) => ({
    ...target(name),
    ContentType: contentTypes[path.extname(name)] ?? 'application/octet-stream',
  });
  const address = (name: string): string => `s3://${bucket}/${prefix}${name}`;
  const put = (
    name: string,
    body: string | Buffer,
    { signal, ...metadata }: { signal: AbortSignal | undefined; Metadata?: Record<string, string> },
  ): Promise<unknown> =>
    callAws('s3:PutObject', address(name), () =>
      s3.send(new PutObjectCommand({ ...typed(name), Body: body, ...metadata }), signal && { abortSignal: signal }),
    );
  return {
    location: address(''),
    async putText(name, text, signal) {
      await put(name, text, { signal });
    },
    async putFile(name, file, { signal, onPart } = {}) {
      const size = sizeOf(file);
      if (size <= partBytes) {
        const body = readFileWhole(file, { links: 'refused' });
        const sha256 = createHash('sha256').update(body).digest('hex');
        await put(name, body, { signal, Metadata: { sha256 } });
        return { sizeBytes: body.length, sha256 };
      }
      const hash = createHash('sha256');
      await pipeline(readStream(file, { links: 'refused' }), hash);
      const sha256 = hash.digest('hex');
      // The bucket's lifecycle rule removes the parts of a failed upload. Aborting the upload would need another
      // permission.
      const upload = new Upload({
        client: s3,
        params: { ...typed(name), Body: readStream(file, { links: 'refused' }), Metadata: { sha256 } },
        leavePartsOnError: true,
      });
      if (onPart) upload.on('httpUploadProgress', onPart);
      await callAws('s3:PutObject', address(name), () => unlessAborted(upload, signal));
      return { sizeBytes: size, sha256 };
    },
    async holds(name, { sizeBytes, sha256 }) {
      try {
        // HeadObject needs the permission to read the object.
        const { ContentLength, Metadata } = await callAws('s3:GetObject', address(name), () =>
          s3.send(new HeadObjectCommand(target(name))),
        );
        return ContentLength === sizeBytes && Metadata?.['sha256'] === sha256;
      } catch (error) {
        if (await saysAbsent(error, name)) return false;
        throw error;
      }
    },
    readText: (name) => read(name, (body) => body.transformToString()),
    readBytes: (name) => read(name, (body) => body.transformToByteArray()),
    sumOf: (name) =>
      read(name, async (body) => {
        const hash = createHash('sha256');
        await pipeline(body as Readable, hash);
        return hash.digest('hex');
      }),
  };

  async function read<T>(name: string, as: (body: NonNullable<GetObjectCommandOutput['Body']>) => Promise<T>) {
    try {
      return await callAws('s3:GetObject', address(name), async () => {
        const { Body } = await s3.send(new GetObjectCommand(target(name)));
        return Body === undefined ? null : as(Body);
      });
    } catch (error) {
      if (await saysAbsent(error, name)) return null;
      throw error;
    }
  }

  /**
   * Whether an error says that there is no such object. To a role that may not list the whole bucket, S3 answers 403 for
   * such an object, as for one that the role may not read. Then a list of this one name decides.
   *
   * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions"
   */
  async function saysAbsent(error: unknown, name: string): Promise<boolean> {
    if (!(error instanceof AwsCallError)) return false;
    if (error.code === 'NoSuchKey' || error.code === 'NotFound') return true;
    if (!error.denied) return false;
    const { Key } = target(name);
    try {
      const { Contents = [] } = await callAws('s3:ListBucket', address(name), () =>
        s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: Key, MaxKeys: 1 })),
      );
      return !Contents.some((object) => object.Key === Key);
    } catch (listing) {
      if (listing instanceof AwsCallError) return false;
      throw listing;
    }
  }
}

/** Ends an upload with the reason of the signal. Time limits of their own end the parts that are being sent. */
async function unlessAborted(upload: Upload, signal: AbortSignal | undefined): Promise<void> {
  const abort = (): void => void upload.abort();
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    await upload.done();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Bucket and prefix of an address such as `s3://results/dlv-pgbench/alice/1f0c`; the prefix gets a slash at its end.
 *
 * @throws {UserError} if the address does not name a folder in a bucket
 */
export function parseS3Address(address: string): { bucket: string; prefix: string } {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/.exec(address);
  if (!match) {
    throw new UserError(
      `${address} is not a folder in a bucket. Expected s3://BUCKET/FOLDER/, as in the stack's output Results.`,
    );
  }
  const [, bucket = '', key = ''] = match;
  if (key.split('/').some((part) => part === '.' || part === '..')) {
    throw new UserError(`${address} contains . or .., which S3 does not treat as folders. Remove them.`);
  }
  return { bucket, prefix: `${key.replace(/\/+$/, '')}/` };
}
