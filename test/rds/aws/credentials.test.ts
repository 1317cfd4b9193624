import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { boundClient, type Bounds, defaultBounds } from '../../../runner/rds/aws/bound-client.ts';
import { callAws } from '../../../runner/rds/aws/call.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { madeUpKey, metadataService, type MetadataService } from '../../helpers/servers/metadata-service.ts';
import { slowService } from '../../helpers/servers/slow-service.ts';

afterEach(() => vi.unstubAllEnvs());

/** A call of S3, which answers, with the credentials of an instance's role. */
async function callWith(service: MetadataService, bounds: Partial<Bounds>, interrupted = new AbortController().signal) {
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value);
  const { endpoint } = await slowService('answers');
  const settings = { endpoint, region: 'eu-central-1', forcePathStyle: true };
  const client = boundClient(S3Client, settings, interrupted, { ...defaultBounds, ...bounds });
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
    expect(await secondsOf(asked)).toBeLessThan(20);
    await expect(asked).rejects.toMatchObject({
      message:
        's3:PutObject of s3://results/a could not reach AWS (TimeoutError: no credentials from environment, profile or the instance metadata service within 1 s). Check the network route.',
      isTransient: true,
    });
    service.become('answers');
    await expect(call()).resolves.toMatchObject({ ETag: '"1"' });
  });

  it.each([
    ['an instance', 'silent'],
    ['an instance', 'drips'],
    ['a container', 'silent'],
    ['a container', 'drips'],
  ] as const)(
    'leave no connection open when they are given up, which would keep a command from ending: those of %s, %s',
    async (whose, how) => {
      const service = await metadataService();
      service.become(how);
      const { environment } = service;
      if (whose === 'a container') {
        environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `${environment['AWS_EC2_METADATA_SERVICE_ENDPOINT']}/role`;
      }
      const { call } = await callWith(service, { credentialSeconds: 0.5 });
      await expect(call()).rejects.toThrow('no credentials from environment, profile or the instance metadata service');
      await expect.poll(() => service.connections(), { timeout: 30_000 }).toBe(0);
    },
  );

  it('wait for no program that a profile names, when they are given up, nor for what that has started', async () => {
    const service = await metadataService();
    const folder = temporaryFolder();
    const [config, pidFile] = [path.join(folder, 'config'), path.join(folder, 'pid')];
    writeFileSync(config, `[profile asking]\ncredential_process = sh -c 'echo $PPID > ${pidFile}; exec sleep 60'\n`);
    Object.assign(service.environment, { AWS_CONFIG_FILE: config, AWS_PROFILE: 'asking' });
    const pipes = (): number => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
    const before = pipes();
    const { call } = await callWith(service, { credentialSeconds: 0.5 });
    await expect(call()).rejects.toThrow('no credentials from environment, profile or the instance metadata service');
    const program = `/proc/${readFileSync(pidFile, 'utf8').trim()}`;
    await expect.poll(() => [existsSync(program), pipes()], { timeout: 30_000 }).toEqual([false, before]);
  });

  it('are not asked for again where nobody has any', async () => {
    const service = await metadataService();
    // Nobody listens there.
    service.environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = 'http://127.0.0.1:1';
    const { call } = await callWith(service, {});
    const asked = call();
    expect(await secondsOf(asked)).toBeLessThan(1);
    await expect(asked).rejects.toThrow('needs AWS credentials, but found none');
  });

  it('end with an interruption', async () => {
    const service = await metadataService();
    service.become('drips');
    const interruption = new AbortController();
    const { call } = await callWith(service, { lastSeconds: 0.3 }, interruption.signal);
    const asked = call();
    await expect.poll(() => service.asked()).toBeGreaterThan(0);
    interruption.abort(new Error('interrupted by SIGINT'));
    expect(await secondsOf(asked)).toBeLessThan(20);
    await expect(asked).rejects.toThrow('was cut off (interrupted by SIGINT)');
  });
});
