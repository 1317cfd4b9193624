import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openBucket } from '../../runner/aws/bucket.ts';
import type { Io } from '../../runner/cli/io.ts';
import { currentLine } from '../../runner/report/terminal/status-text.ts';
import { watchRun } from '../../runner/cli/watch-run.ts';
import type { RunStatus } from '../../runner/contract/status.ts';
import { s3Error } from '../helpers/fake-aws.ts';
import { fakeS3 } from '../helpers/fake-s3.ts';

const at = (minutes: number): string => new Date(Date.parse('2026-11-21T12:00:00Z') + minutes * 60_000).toISOString();

const running: RunStatus = {
  kind: 'pgduet-status',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  experiment: 'dlv',
  profile: 'full',
  stackName: 'pgduet-dlv-alice',
  dashboardUrl: 'https://example.com',
  state: 'running',
  run: 'runs/2026-11-21T12-00-00Z/',
  startedAt: at(0),
  updatedAt: at(90),
  endedAt: null,
  current: { stage: 'measure', variant: 'with-dlv', trialNumber: 2, done: null, elapsedSeconds: 125, tps: 13397 },
  plannedTrials: 12,
  trials: [
    {
      ...{ id: 'block-01-1-without-dlv', number: 1, block: 1, variant: 'without-dlv', state: 'finished' },
      ...{ tps: 6984.2, p99Seconds: 0.0213, error: null, endedAt: at(85) },
    },
  ],
  expectedEndAt: at(300),
  limitHours: 16,
  dollarsPerHour: 20.8,
  problems: [],
};

/** Looks at one status after another, the way that the driver would have written them. */
async function watch(
  ...statuses: (RunStatus | null)[]
): Promise<{ last: RunStatus | null; shown: string[]; error: unknown }> {
  const s3 = fakeS3();
  const put = (status: RunStatus | null | undefined): void => {
    if (status) s3.objects.set('dlv/alice/1/status.json', JSON.stringify(status));
  };
  const stderr = new PassThrough();
  const left = [...statuses];
  put(left.shift());
  const interruption = new AbortController();
  const io: Io = {
    stdout: new PassThrough(),
    stderr,
    environment: {},
    workingFolder: '/',
    signal: interruption.signal,
    statusLine: null,
    columns: 100,
    colour: false,
    setExitCode: () => undefined,
  };
  const bucket = openBucket(s3.client, { bucket: 'results', prefix: 'dlv/alice/1/' });
  const outcome = await watchRun(bucket, io, {
    now: () => new Date(at(90)),
    pause: () => {
      if (left.length === 0) return Promise.reject(new Error('interrupted by SIGINT'));
      put(left.shift());
      return Promise.resolve();
    },
  }).then(
    (last) => ({ last, error: null }),
    (error: unknown) => ({ last: null, error }),
  );
  const text = (stderr.read() as Buffer | null)?.toString() ?? '';
  return { ...outcome, shown: text.split('\n').filter((line) => line !== '') };
}

describe('pgduet watch', () => {
  it('shows every trial once, and ends with the run', async () => {
    const second = { ...running.trials[0], id: 'x', number: 2, variant: 'with-dlv', tps: 13397, endedAt: at(110) };
    const later = { ...running, trials: [...running.trials, second] } as RunStatus;
    const { last, shown } = await watch(null, running, running, later, { ...later, state: 'finished', current: null });
    expect(last?.state).toBe('finished');
    expect(shown).toEqual([
      'Nothing has been measured yet below s3://results/dlv/alice/1/; waiting for the driver.',
      '13:25:00  trial  1 of 12  block 1  without-dlv  6,984 tps, p99 21.3 ms',
      'trial 2  with-dlv  measure',
      '13:50:00  trial  2 of 12  block 1  with-dlv  13,397 tps, p99 21.3 ms',
    ]);
  });

  it('can be left, and finds everything again when it is rejoined', async () => {
    const first = await watch(running);
    expect(first.error).toHaveProperty('message', 'interrupted by SIGINT');
    expect((await watch(running)).shown).toEqual(first.shown);
  });

  it('waits through a reboot of the driver', async () => {
    const interrupted: RunStatus = {
      ...running,
      state: 'interrupted',
      current: null,
      problems: ['interrupted by SIGTERM'],
    };
    const { last, shown } = await watch(running, interrupted, running, {
      ...running,
      state: 'finished',
      current: null,
    });
    expect(last?.state).toBe('finished');
    expect(shown).toContain('problem: interrupted by SIGTERM');
    expect(shown).toContain('Interrupted; it goes on when the driver starts again.');
  });

  it('says time and money spent, and what is left', () => {
    expect(currentLine(running, new Date(at(90)))).toBe(
      'trial 2 of 12  with-dlv  measure  2 min 5 s  13,397 tps  1 h 30 min of at most 16 h  $31.20  about 3 h 30 min left',
    );
  });

  it('notices when the driver falls silent', () => {
    expect(currentLine(running, new Date(at(100)))).toContain('no sign of life for 10 min');
  });
});

describe('a driver whose pre-flight failed', () => {
  it('is not waited for: its problems are shown', async () => {
    const s3 = fakeS3();
    const outcomes = [{ name: 'password', problems: ['secretsmanager:GetSecretValue was refused.'], detail: '' }];
    const preflight = { kind: 'pgduet-preflight', schemaVersion: 1, toolVersion: '0.1.0', endedAt: at(1), outcomes };
    s3.objects.set('p/driver/preflight.json', JSON.stringify(preflight));
    const io = { stderr: new PassThrough(), statusLine: null, signal: new AbortController().signal } as unknown as Io;
    const watching = watchRun(openBucket(s3.client, { bucket: 'results', prefix: 'p/' }), io, {
      now: () => new Date(),
      pause: () => Promise.reject(new Error('waited')),
    });
    await expect(watching).rejects.toThrow(
      'The pre-flight on the driver failed:\n  secretsmanager:GetSecretValue was refused.',
    );
  });

  it('says who refuses to let the status be read', async () => {
    const s3 = fakeS3();
    s3.answerWith(() => s3Error('AccessDenied', 'User: bob is not authorized to perform: s3:GetObject', 403));
    const bucket = openBucket(s3.client, { bucket: 'results', prefix: 'p/' });
    await expect(bucket.readText('status.json')).rejects.toThrow(
      's3:GetObject of s3://results/p/status.json was refused: User: bob is not authorized to perform: s3:GetObject.',
    );
  });
});
