import { describe, expect, it } from 'vitest';
import { readSource } from '../../runner/storage/source.ts';
import { type FakeS3, fakeS3 } from '../helpers/fake-s3.ts';
import { sampleResult } from '../helpers/sample-result.ts';

const run = 'runs/2026-11-21T12-00-00Z/';

function deployed(): FakeS3 {
  const s3 = fakeS3();
  s3.objects.set(`dlv/alice/1/${run}result.json`, JSON.stringify(sampleResult()));
  const status = {
    ...{ kind: 'pgduet-status', schemaVersion: 1, toolVersion: '0.1.0', experiment: 'dlv', profile: 'full' },
    ...{ stackName: 's', dashboardUrl: '', state: 'finished', run, startedAt: '', updatedAt: '', endedAt: '' },
    ...{ current: null, plannedTrials: 2, trials: [], expectedEndAt: null, limitHours: null, dollarsPerHour: null },
    problems: [],
  };
  s3.objects.set('dlv/alice/1/status.json', JSON.stringify(status));
  return s3;
}

function read(s3: FakeS3, text: string): ReturnType<typeof readSource> {
  return readSource(text, '/', () => Promise.resolve(s3.client));
}

describe('results in S3, as sides of a comparison', () => {
  it('are those of the newest run of a deploy, or of the run that is named', async () => {
    const s3 = deployed();
    const location = `s3://results/dlv/alice/1/${run}`;
    for (const address of ['s3://results/dlv/alice/1', location, `${location}result.json`]) {
      expect(await read(s3, address)).toMatchObject({ kind: 'result', name: address, location, variant: null });
    }
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
      's3://results/dlv/alice/1/ holds no result. Name what the stack',
    );
    const s3 = deployed();
    s3.objects.delete(`dlv/alice/1/${run}result.json`);
    await expect(read(s3, 's3://results/dlv/alice/1')).rejects.toThrow(/has no result yet/);
  });
});
