import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { boundClient, type Bounds, usualBounds } from '../../runner/aws/bound-client.ts';
import { callAws } from '../../runner/aws/call.ts';
import { madeUpKey, metadataService, type MetadataService } from '../helpers/servers/metadata-service.ts';
import { slowService } from '../helpers/servers/slow-service.ts';

afterEach(() => vi.unstubAllEnvs());

/** A call of S3, which answers, with the credentials of an instance's role. */
async function callWith(service: MetadataService, bounds: Partial<Bounds>, interrupted = new AbortController().signal) {
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value);
  const { endpoint } = await slowService('answers');
  const settings = { endpoint, region: 'eu-central-1', forcePathStyle: true };
  const client = boundClient(S3Client, settings, interrupted, { ...usualBounds, ...bounds });
  onTestFinished(() => client.destroy());
  const put = new PutObjectCommand({ Bucket: 'results', Key: 'a', Body: 'text' });
  return { client, call: () => callAws('s3:PutObject', 's3://results/a', () => client.send(put)) };
}

async function secondsOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work.catch(() => undefined);
  return (performance.now() - startedAt) / 1000;
}

describe('the credentials of an instance’s role', () => {
  it.each([
    ['two', ['silent', 'silent']],
    ['the first, and that for the role', ['silent', 'answers', 'answers', 'silent']],
  ] as const)('come although the metadata service is silent at first: %s', async (_, first) => {
    const service = await metadataService(...first);
    const { client, call } = await callWith(service, { metadataSeconds: 0.3 });
    await expect(call()).resolves.toMatchObject({ ETag: '"1"' });
    await expect(client.config.credentials()).resolves.toMatchObject({ accessKeyId: madeUpKey });
  });

  it('are waited for as long as a busy machine may need', async () => {
    const service = await metadataService('silent');
    const { client } = await callWith(service, {});
    await expect(client.config.credentials()).resolves.toMatchObject({ accessKeyId: madeUpKey });
  }, 20_000);

  it('are given up in time when they come by the byte, by name, and come when they are asked for again', async () => {
    const service = await metadataService();
    service.become('drips');
    const { call } = await callWith(service, { credentialSeconds: 0.5 });
    const asked = call();
    expect(await secondsOf(asked)).toBeLessThan(2);
    await expect(asked).rejects.toMatchObject({
      message:
        's3:PutObject of s3://results/a did not get through (TimeoutError: no credentials from environment, profile or the instance metadata service within 1 s). Is there a route to AWS?',
      passing: true,
    });
    service.become('answers');
    await expect(call()).resolves.toMatchObject({ ETag: '"1"' });
  });

  it('are not asked for again where nobody has any', async () => {
    const service = await metadataService();
    // Nobody listens there.
    service.environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = 'http://127.0.0.1:1';
    const { call } = await callWith(service, {});
    const asked = call();
    expect(await secondsOf(asked)).toBeLessThan(1);
    await expect(asked).rejects.toThrow('needs AWS credentials, and there are none here');
  });

  it('end with an interruption', async () => {
    const service = await metadataService();
    service.become('drips');
    const interruption = new AbortController();
    const { call } = await callWith(service, { lastSeconds: 0.3 }, interruption.signal);
    const asked = call();
    await expect.poll(() => service.asked()).toBeGreaterThan(0);
    interruption.abort(new Error('interrupted by SIGINT'));
    expect(await secondsOf(asked)).toBeLessThan(2);
    await expect(asked).rejects.toThrow('was cut off (interrupted by SIGINT)');
  });
});
