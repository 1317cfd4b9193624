import { S3Client } from '@aws-sdk/client-s3';
import type { RunStatus } from '../../../runner/contract/status.ts';
import { absentFromS3, type FakeAnswer, fakeAws } from './fake-aws.ts';

export interface FakeS3 {
  client: S3Client;
  /** Content by key, in the only bucket. */
  objects: Map<string, string>;
  /** Every status that was written, in order. */
  statuses(): RunStatus[];
  /** Keys in the order in which they were written. */
  written: string[];
  /** If `answer` returns something, this is the answer to the request. */
  answerWith(answer: (key: string, method: string) => FakeAnswer | undefined): void;
}

/** A bucket in memory, used through the real client. */
export function fakeS3(): FakeS3 {
  const objects = new Map<string, string>();
  const written: string[] = [];
  const statuses: RunStatus[] = [];
  const heads = new Map<string, Record<string, string>>();
  let instead: (key: string, method: string) => FakeAnswer | undefined = () => undefined;
  const aws = fakeAws(({ method, path, body, headers }) => {
    const key = decodeURIComponent(path.split('?')[0] ?? '').slice(1);
    const answer = instead(key, method);
    if (answer) return answer;
    if (method === 'PUT') {
      objects.set(key, body.toString());
      written.push(key);
      if (key.endsWith('/status.json')) statuses.push(JSON.parse(body.toString()) as RunStatus);
      const own = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      // The content is kept as a text, which may have another length.
      heads.set(key, { 'content-length': String(body.length), ...Object.fromEntries(own) });
      return {};
    }
    const content = objects.get(key);
    if (content === undefined) return absentFromS3(objects.keys(), { method, path });
    return method === 'HEAD' ? { headers: heads.get(key) ?? {} } : { body: content };
  });
  return {
    client: new S3Client(aws.options),
    objects,
    written,
    statuses: () => statuses,
    answerWith(answer) {
      instead = answer;
    },
  };
}
