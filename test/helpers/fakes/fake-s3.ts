import { S3Client } from '@aws-sdk/client-s3';
import { type FakeAnswer, fakeAws, s3Error } from './fake-aws.ts';

export interface FakeS3 {
  client: S3Client;
  /** Content by key, in the only bucket. */
  objects: Map<string, string>;
  /** Keys in the order in which they were written. */
  written: string[];
  /** If `answer` returns something, this is the answer to the request. */
  answerWith(answer: (key: string, method: string) => FakeAnswer | undefined): void;
}

/** A bucket in memory, used through the real client. */
export function fakeS3(): FakeS3 {
  const objects = new Map<string, string>();
  const written: string[] = [];
  let instead: (key: string, method: string) => FakeAnswer | undefined = () => undefined;
  const aws = fakeAws(({ method, path, body }) => {
    const key = decodeURIComponent(path.split('?')[0] ?? '').slice(1);
    const answer = instead(key, method);
    if (answer) return answer;
    if (method === 'PUT') {
      objects.set(key, body.toString());
      written.push(key);
      return {};
    }
    const content = objects.get(key);
    return content === undefined ? s3Error('NoSuchKey', 'The specified key does not exist.', 404) : { body: content };
  });
  return {
    client: new S3Client(aws.options),
    objects,
    written,
    answerWith(answer) {
      instead = answer;
    },
  };
}
