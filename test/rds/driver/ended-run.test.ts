import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseRunStatus, type RunStatus, statusText } from '../../../runner/contract/status.ts';
import { endGivenUp, leaveRefusal } from '../../../runner/rds/driver/ended-run.ts';
import { s3Error } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, rdsWithInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { type FakeS3, fakeS3 } from '../../helpers/fakes/fake-s3.ts';
import { fakeStack } from '../../helpers/fakes/fake-stack.ts';

const binding = sampleBinding({ 'with-dlv': boundInstance(), without: boundInstance() });
const key = `${binding.results.prefix}status.json`;
const createdAt = new Date('2026-11-21T12:00:00Z');
const now = () => new Date('2026-11-21T13:00:00Z');
const options = { warn: () => undefined, now, pause: () => Promise.resolve() };

let s3: FakeS3;
beforeEach(() => {
  s3 = fakeS3();
});

const deploy = () => ({
  binding,
  clients: { s3: s3.client, cloudFormation: fakeStack(createdAt), rds: rdsWithInstance(null).client },
});
const status = (): RunStatus => parseRunStatus(s3.objects.get(key) ?? '', key);

function begun(state: RunStatus['state'], run = 'runs/first/'): RunStatus {
  const fixture = path.join(import.meta.dirname, '../../fixtures/status/v3/running.json');
  return { ...parseRunStatus(readFileSync(fixture, 'utf8'), fixture), state, run, deploy: binding.deploy };
}

describe('a run that was refused', () => {
  it('leaves a status with the problems, and lets its stack go', async () => {
    await leaveRefusal(deploy(), ['limits.hours is 16'], options);
    expect(status()).toMatchObject({
      state: 'refused',
      run: null,
      problems: ['limits.hours is 16'],
      saved: { objects: 0 },
      billedSince: '2026-11-21T12:00:00.000Z',
      expiresAt: '2026-11-22T12:00:00.000Z',
      deleteAfter: '2026-11-21T13:30:00.000Z',
    });
  });

  it('leaves the status of a run that has begun as it is', async () => {
    s3.objects.set(key, statusText(begun('running')));
    await leaveRefusal(deploy(), ['a wrong profile, by hand'], options);
    expect(status()).toMatchObject({ state: 'running', problems: [] });
  });

  it('takes the place of the status of an earlier deploy', async () => {
    s3.objects.set(key, statusText({ ...begun('finished'), deploy: '0123456789ab' }));
    await leaveRefusal(deploy(), ['limits.hours is 16'], options);
    expect(status()).toMatchObject({ state: 'refused', deploy: binding.deploy });
  });

  it('does not wait for a bucket that cannot be written to', async () => {
    s3.answerWith((_, method) => (method === 'PUT' ? s3Error('AccessDenied', 'not authorized', 403) : undefined));
    await expect(leaveRefusal(deploy(), ['p'], options)).rejects.toThrow('s3:PutObject');
  });
});

describe('a runner that was given up', () => {
  const signal = new AbortController().signal;

  it('leaves what it had measured, and a status that it failed', async () => {
    const results = temporaryFolder();
    mkdirSync(path.join(results, 'first/trials/one'), { recursive: true });
    symlinkSync('first', path.join(results, 'latest'));
    writeFileSync(path.join(results, 'first/trials/one/trial.json'), '{"kind":"damaged"}');
    writeFileSync(path.join(results, 'first/load-one.log'), 'loaded');
    s3.objects.set(key, statusText(begun('interrupted')));
    await endGivenUp(deploy(), results, { ...options, signal });
    expect(status()).toMatchObject({
      state: 'failed',
      saved: { objects: 2 },
      problems: [expect.stringContaining('gave up') as string],
      deleteAfter: '2026-11-21T13:30:00.000Z',
    });
    // At the next boot nothing begins anew.
    expect((await endGivenUp(deploy(), results, { ...options, signal })).state).toBe('failed');
  });

  it('changes nothing of a run that has ended by itself and is saved', async () => {
    const ended = { ...begun('finished'), saved: { at: '2026-11-21T12:30:00.000Z', objects: 9, sizeBytes: 9 } };
    s3.objects.set(key, statusText(ended));
    await endGivenUp(deploy(), temporaryFolder(), { ...options, signal });
    expect(status()).toEqual(ended);
    expect(s3.written).toEqual([]);
  });

  it('says so where it never came to a first status', async () => {
    await endGivenUp(deploy(), temporaryFolder(), { ...options, signal });
    expect(status()).toMatchObject({ state: 'refused', problems: [expect.stringContaining('journalctl') as string] });
  });
});
