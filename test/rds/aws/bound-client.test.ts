import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boundClient, type Bounds } from '../../../runner/rds/aws/bound-client.ts';
import { openBucket } from '../../../runner/rds/aws/bucket.ts';
import { callAws } from '../../../runner/rds/aws/call.ts';
import { awsClients } from '../../../runner/rds/aws/clients.ts';
import { doctorClients } from '../../../runner/rds/doctor/account.ts';
import { type Slowness, slowService, type SlowService } from '../../helpers/servers/slow-service.ts';

const place = { Bucket: 'results', Key: 'a' };
const put = new PutObjectCommand({ ...place, Body: 'text' });
const never = new AbortController().signal;
/** Longer than any test. */
const long: Bounds = {
  connectionSeconds: 60,
  silenceSeconds: 60,
  attemptSeconds: 60,
  totalSeconds: 60,
  metadataSeconds: 60,
  credentialSeconds: 60,
  lastSeconds: 60,
};

function clientOf({ endpoint }: SlowService, bounds: Partial<Bounds>, interrupted = never): S3Client {
  const credentials = { accessKeyId: 'AKIAMADEUP', secretAccessKey: 'made-up' };
  const settings = { endpoint, credentials, region: 'eu-central-1', forcePathStyle: true };
  const client = boundClient(S3Client, settings, interrupted, { ...long, ...bounds });
  onTestFinished(() => client.destroy());
  return client;
}

async function secondsOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work.catch(() => undefined);
  return (performance.now() - startedAt) / 1000;
}

const slow: Slowness[] = ['silent', 'drips headers', 'drips content', 'busy'];

describe('a call', () => {
  it.each<[Slowness, Partial<Bounds>]>([
    ['silent', { silenceSeconds: 0.1, attemptSeconds: 60 }],
    ['silent', { silenceSeconds: 60, attemptSeconds: 0.2 }],
    ['drips headers', { silenceSeconds: 60, attemptSeconds: 0.2 }],
  ])('is tried again when one attempt takes too long: %s, %o', async (how, bounds) => {
    const service = await slowService(how);
    const call = clientOf(service, bounds).send(put);
    await expect.poll(() => service.asked(), { timeout: 30_000 }).toBeGreaterThan(1);
    service.become('answers');
    await expect(call).resolves.toMatchObject({ ETag: '"1"' });
  });

  it.each(slow)('is given up when all attempts together take too long: %s', async (how) => {
    const client = clientOf(await slowService(how), { totalSeconds: 0.5 });
    const asked = callAws('s3:PutObject', 's3://results/a', () => client.send(put));
    expect(await secondsOf(asked)).toBeLessThan(30);
    await expect(asked).rejects.toMatchObject({
      message:
        's3:PutObject of s3://results/a could not reach AWS (TimeoutError: no whole answer within 1 s). Check the network route.',
      isTransient: true,
    });
  });

  it('is given up when its credentials do not come', async () => {
    const { endpoint } = await slowService('answers');
    const settings = { endpoint, region: 'eu-central-1', credentials: () => new Promise<never>(() => undefined) };
    const client = boundClient(S3Client, settings, never, { ...long, totalSeconds: 0.2 });
    await expect(client.send(put)).rejects.toThrow('no whole answer');
  });

  it.each(slow)('ends with the reason of its own signal, whatever the other side does: %s', async (how) => {
    const service = await slowService(how);
    const end = new AbortController();
    const call = clientOf(service, {}).send(put, { abortSignal: end.signal });
    await expect.poll(() => service.asked()).toBeGreaterThan(0);
    end.abort(new Error('the run is over'));
    await expect(call).rejects.toThrow('the run is over');
  });

  it('reads a content no longer than its size allows, when it comes by the byte', async () => {
    const client = clientOf(await slowService('drips content'), { totalSeconds: 0.5 });
    const reading = openBucket(client, { bucket: 'results', prefix: '' }).readText('a');
    // One second for each 64 KiB of the size.
    expect(await secondsOf(reading)).toBeLessThan(30);
    await expect(reading).rejects.toThrow('no whole answer within 2 s');
  });
});

describe('when the command is interrupted', () => {
  const interrupt = (): AbortController => new AbortController();

  it.each(slow)('calls under way have some seconds, and none follows: %s', async (how) => {
    const service = await slowService(how);
    const command = interrupt();
    const client = clientOf(service, { lastSeconds: 0.3 }, command.signal);
    // The SDK tries no more than some dozens of times in all where every call of a client fails at once.
    const calls = Array.from({ length: how === 'busy' ? 1 : 20 }, () => client.send(put));
    await expect.poll(() => service.asked()).toBeGreaterThan(0);
    command.abort(new Error('interrupted by SIGINT'));
    const ended = await Promise.allSettled(calls);
    expect(ended.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    const asked = service.asked();
    const later = callAws('s3:PutObject', 's3://results/a', () => client.send(put));
    await expect(later).rejects.toMatchObject({
      message: 's3:PutObject of s3://results/a was cut off (interrupted by SIGINT).',
      isTransient: true,
    });
    expect(service.asked()).toBe(asked);
  });

  it('what is being read ends, too', async () => {
    const service = await slowService('drips content');
    const command = interrupt();
    const client = clientOf(service, { lastSeconds: 0.2 }, command.signal);
    const { Body } = await client.send(new GetObjectCommand(place));
    command.abort(new Error('interrupted by SIGINT'));
    await expect(Body?.transformToString()).rejects.toThrow('interrupted by SIGINT');
  });

  it('calls follow as long as they are answered, so that what was measured is saved', async () => {
    const service = await slowService('answers');
    const command = interrupt();
    const client = clientOf(service, { lastSeconds: 0.3 }, command.signal);
    command.abort(new Error('interrupted by SIGINT'));
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1000) await client.send(put);
    service.become('silent');
    expect(await secondsOf(client.send(put))).toBeLessThan(30);
  });
});

interface HttpHandler {
  handle: (request: object) => Promise<unknown>;
  httpHandlerConfigs: () => object;
}

it.each(Object.entries({ ...awsClients('eu-central-1', never), ...doctorClients('eu-central-1', never) }))(
  'the client of %s has bounds for a connection, for silence and for one attempt',
  async (_, client) => {
    // The settings are read when they are needed for the first time.
    const requestHandler = client.config.requestHandler as HttpHandler;
    await requestHandler.handle({ protocol: 'data:' }).catch(() => undefined);
    expect(requestHandler.httpHandlerConfigs()).toMatchObject({
      connectionTimeout: 10_000,
      socketTimeout: 30_000,
      requestTimeout: 45_000,
      throwOnRequestTimeout: true,
    });
  },
);
