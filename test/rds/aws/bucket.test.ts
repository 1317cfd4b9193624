import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBucket, parseS3Address } from '../../../runner/rds/aws/bucket.ts';
import { UserError } from '../../../runner/contract/errors.ts';
import { absentFromS3, fakeAws, type FakeRequest, s3Error } from '../../helpers/fakes/fake-aws.ts';
import { fakeS3 } from '../../helpers/fakes/fake-s3.ts';

const place = { bucket: 'results', prefix: 'dlv/alice/1/' };

function fileOf(sizeBytes: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'bucket-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'file');
  writeFileSync(file, Buffer.alloc(sizeBytes, 'x'));
  return file;
}

describe('a bucket', () => {
  it('gives back what was put, and null for what is not there', async () => {
    const bucket = openBucket(fakeS3().client, place);
    await bucket.putText('status.json', '{}');
    expect(await bucket.readText('status.json')).toBe('{}');
    expect(await bucket.readText('other.json')).toBeNull();
  });

  it.each([
    ['to a role that may list the bucket', () => s3Error('NoSuchKey', 'The specified key does not exist.', 404), 1],
    [
      'to one that may list its own part',
      (request: FakeRequest) => absentFromS3(['dlv/alice/1/status.json.gz'], request),
      2,
    ],
  ])('says null for what is not there, as S3 answers %s', async (_, answer, requests) => {
    const aws = fakeAws(answer);
    expect(await openBucket(new S3Client(aws.options), place).readText('status.json')).toBeNull();
    expect(aws.requests).toHaveLength(requests);
  });

  it.each([
    ['is there', (request: FakeRequest) => absentFromS3(['dlv/alice/1/status.json'], request)],
    ['cannot be looked for', () => s3Error('AccessDenied', 'Access Denied', 403)],
  ])('refuses what may not be read and %s', async (_, answer) => {
    const bucket = openBucket(new S3Client(fakeAws(answer).options), place);
    await expect(bucket.readText('status.json')).rejects.toThrow(/^s3:GetObject of .*status\.json was denied/);
    await expect(bucket.holds('status.json', { sizeBytes: 2, sha256: '' })).rejects.toThrow(
      /^s3:GetObject of .* was denied/,
    );
  });

  it('takes big files in parts, by the permission to put objects alone', async () => {
    const part = '<CompleteMultipartUploadResult><Location>x</Location></CompleteMultipartUploadResult>';
    const aws = fakeAws(({ path: target }) => {
      const xml = { 'content-type': 'application/xml' };
      if (target.includes('uploads')) {
        const id = '<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>';
        return { headers: xml, body: id };
      }
      return target.includes('partNumber') ? { headers: { etag: '"1"' } } : { headers: xml, body: part };
    });
    await openBucket(new S3Client(aws.options), place).putFile('log.gz', fileOf(11 * 1024 * 1024));
    const parts = aws.requests.filter(({ path: target }) => target.includes('partNumber'));
    expect(parts).toHaveLength(3);
    expect(aws.requests.map(({ method }) => method)).not.toContain('DELETE');
  });

  it.each([10, 11 * 1024 * 1024])(
    'takes no file by way of a link that was laid in its place: of %i bytes',
    async (size) => {
      const { client, objects } = fakeS3();
      const link = path.join(path.dirname(fileOf(1)), 'link');
      symlinkSync(fileOf(size), link);
      const sent = openBucket(client, place).putFile('file', link);
      await expect(sent).rejects.toThrow(UserError);
      await expect(sent).rejects.toThrow(`${link} is a symbolic link, which pgduet does not follow`);
      expect(objects.size).toBe(0);
    },
  );

  it('takes no pipe, and does not wait for one', async () => {
    const { client, objects } = fakeS3();
    const pipe = path.join(path.dirname(fileOf(1)), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const sent = openBucket(client, place).putFile('file', pipe);
    await expect(sent).rejects.toThrow(`${pipe} is a pipe`);
    expect(objects.size).toBe(0);
  });

  it('tries a part again, and names the object when it is refused', async () => {
    const aws = fakeAws(() => s3Error('SlowDown', 'Reduce your request rate.', 503));
    await expect(openBucket(new S3Client(aws.options), place).putFile('small', fileOf(10))).rejects.toMatchObject({
      message: expect.stringMatching(/^s3:PutObject of s3:\/\/results\/dlv\/alice\/1\/small was throttled/) as string,
      isTransient: true,
    });
    expect(aws.requests).toHaveLength(2);
  });
});

describe('an address', () => {
  it('is a bucket and a folder in it, with or without the slash', () => {
    expect(parseS3Address('s3://results/dlv/alice')).toEqual({ bucket: 'results', prefix: 'dlv/alice/' });
    expect(parseS3Address('s3://results/dlv/alice/')).toEqual({ bucket: 'results', prefix: 'dlv/alice/' });
  });

  it.each(['s3://results', 's3://results/', 's3:///x', 'https://results/x', 's3://R/x'])('is not %s', (address) => {
    expect(() => parseS3Address(address)).toThrow(/is not a folder in a bucket/);
  });
});
