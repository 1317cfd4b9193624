import { beforeAll, describe, expect, it } from 'vitest';
import { readSource } from '../../runner/analysis/sources/source.ts';
import { bucketReader } from '../../runner/rds/bucket/bucket-run.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { runFile } from '../../runner/contract/run-record.ts';
import { trialFile } from '../../runner/contract/trial.ts';
import type { RunStatus } from '../../runner/contract/status.ts';
import { type FakeS3, fakeS3 } from '../helpers/fakes/fake-s3.ts';
import { recordSample, sampleResult } from '../helpers/samples/sample-result.ts';

const folder = 'dlv/alice/1/runs/2026-11-21T12-00-00Z/';
const { run, trials } = recordSample({});
let result: string;
beforeAll(async () => {
  result = asFile(resultFile, await sampleResult());
});

function asFile({ kind, schemaVersion }: { kind: string; schemaVersion: number }, value: object): string {
  return JSON.stringify({ kind, schemaVersion, toolVersion: '0.1.0', ...value });
}

/** A deploy in mid-run: its status, run.json, and the trials of two blocks. */
function unfinished(): FakeS3 {
  const s3 = fakeS3();
  const measured = trials.filter(({ block }) => block <= 2);
  const status: RunStatus = {
    kind: 'pgduet-status',
    schemaVersion: 3,
    toolVersion: '0.1.0',
    experiment: 'dlv',
    profile: 'full',
    stackName: 's',
    dashboardUrl: '',
    deploy: 'a1b2c3d4e5f6',
    state: 'running',
    run: 'runs/2026-11-21T12-00-00Z/',
    startedAt: '',
    updatedAt: '',
    endedAt: null,
    current: null,
    plannedTrials: 12,
    expectedEndAt: null,
    mayStopEarly: false,
    trials: measured.map(({ id, block, conditions, endedAt }, index) => ({
      id,
      number: index + 1,
      block,
      conditions,
      endedAt,
      state: 'finished',
      measures: {},
      error: null,
    })),
    limitHours: null,
    dollarsPerHour: null,
    problems: [],
    deleteAfter: null,
    saved: null,
    billedSince: null,
    whenDone: 'destroy',
    graceMinutes: 30,
    expiresAt: null,
  };
  s3.objects.set('dlv/alice/1/status.json', JSON.stringify(status));
  s3.objects.set(`${folder}run.json`, asFile(runFile, run));
  for (const trial of measured) s3.objects.set(`${folder}trials/${trial.id}/trial.json`, asFile(trialFile, trial));
  return s3;
}

function deployed(): FakeS3 {
  const s3 = unfinished();
  s3.objects.set(`${folder}result.json`, result);
  return s3;
}

function read(s3: FakeS3, text: string): ReturnType<typeof readSource> {
  const openRemote = () => Promise.resolve(bucketReader(s3.client));
  return readSource(text, { workingFolder: '/', openRemote, signal: new AbortController().signal });
}

describe('results in S3, as sides of a comparison', () => {
  it('are those of the newest run of a deploy, or of the run that is named', async () => {
    const s3 = deployed();
    const location = `s3://results/${folder}`;
    for (const address of ['s3://results/dlv/alice/1', location, `${location}result.json`]) {
      expect(await read(s3, address)).toMatchObject({
        kind: 'result',
        name: address,
        location,
        variant: null,
        result: { complete: true },
      });
    }
  });

  it('are made of the trials so far while a run goes on', async () => {
    const source = await read(unfinished(), 's3://results/dlv/alice/1');
    if (source.kind !== 'result') throw new Error('a result was named');
    const { complete, endedAt, trials: measured, comparisons } = source.result;
    expect({ complete, endedAt }).toEqual({ complete: false, endedAt: null });
    expect(measured).toHaveLength(4);
    expect(comparisons.find(({ primary }) => primary)?.pairs).toMatchObject([{ block: 1 }, { block: 2 }]);
  });

  it('take the name of a variant behind them', async () => {
    const source = await read(deployed(), 's3://results/dlv/alice/1#with-log-volume');
    expect(source).toMatchObject({ name: 's3://results/dlv/alice/1', variant: 'with-log-volume' });
    await expect(read(deployed(), 's3://results/dlv/alice/1#with-log-volumen')).rejects.toThrow(
      /has no variant with-log-volumen\. Did you mean with-log-volume\?/,
    );
  });

  it('say what to name where there are none', async () => {
    await expect(read(fakeS3(), 's3://results/dlv/alice/1')).rejects.toThrow(
      's3://results/dlv/alice/1/ contains no result. Specify the address in the stack',
    );
    const s3 = unfinished();
    s3.objects.delete(`${folder}run.json`);
    await expect(read(s3, 's3://results/dlv/alice/1')).rejects.toThrow(/has no result yet/);
  });
});
