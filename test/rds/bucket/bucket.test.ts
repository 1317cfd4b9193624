import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAddress, openFolder } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { openBucket } from '../../../runner/rds/aws/bucket.ts';
import { UserError } from '../../../runner/contract/errors.ts';
import { runFile } from '../../../runner/contract/run-record.ts';
import { type RunStatus, statusFile } from '../../../runner/contract/status.ts';
import { bucketStore } from '../../../runner/rds/bucket/bucket-store.ts';
import { parseSums, readSums, sumOf } from '../../../runner/files/sums.ts';
import { runFolder } from '../../../runner/storage/run-folder.ts';
import { s3Error } from '../../helpers/fakes/fake-aws.ts';
import { fakeS3 } from '../../helpers/fakes/fake-s3.ts';
import { folderAsBucket } from '../../helpers/fakes/folder-as-bucket.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { recordSample, sampleResult } from '../../helpers/samples/sample-result.ts';
import { allFiles, sealAgain } from '../../helpers/samples/sealed-sample.ts';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures');
const options = { blocks: 2, trialSeconds: 5 };
const sample = recordSample(options);

describe('a run that goes to a bucket too', () => {
  it('is uploaded file by file as it grows, none of them twice', async () => {
    const folder = temporaryFolder();
    const s3 = fakeS3();
    const bucket = openBucket(s3.client, { bucket: 'results-bucket', prefix: 'deploy/' });
    const store = bucketStore(runFolder(folder, folder), bucket, (text) => expect.unreachable(text), {
      signal: new AbortController().signal,
      written: () => 0,
    });
    await store.saveRun(sample.run);
    for (const trial of sample.trials) {
      writeFileSync(path.join(store.trialFolder(trial.id), 'pgbench.stdout.log'), 'tps = 1');
      await store.saveTrial(trial, sample.rows.get(trial.id) ?? []);
    }
    const later = { collector: 'cloudwatch', measures: {}, facts: {} };
    await store.saveLater(sample.trials[0]?.id ?? '', later, [{ second: 0, name: 'cloudwatch.writeIOPS', value: 1 }]);
    const afterwards = s3.written.filter((key) => key.includes('/later/')).map((key) => path.basename(key));
    expect(afterwards).toEqual(['cloudwatch.parquet', 'cloudwatch.json']);
    await store.saveResult(await sampleResult(options));
    await store.publish();
    const once = s3.written.filter((key) => !key.endsWith('/SHA256SUMS'));
    expect(once).toHaveLength(1 + 3 * sample.trials.length + 2 + 1);
    expect(new Set(once).size).toBe(once.length);
    expect(once.at(-1)).toMatch(/\/result\.json$/);
    // The manifest speaks of what is there already.
    expect(s3.written.at(-1)).toMatch(/\/SHA256SUMS$/);
    // Who can see a trial can also read its series.
    for (const { id } of sample.trials) {
      const of = s3.written.filter((key) => key.includes(`/${id}/`) && !key.includes('/later/'));
      expect(of.at(-1)).toMatch(/\/trial\.json$/);
    }
  });

  it('has no manifest there at any moment that contradicts what is there, also while it is gone on with', async () => {
    const folder = temporaryFolder();
    const s3 = fakeS3();
    const states: Map<string, string>[] = [];
    s3.answerWith(() => void states.push(new Map(s3.objects)));
    const bucket = openBucket(s3.client, { bucket: 'results-bucket', prefix: 'deploy/' });
    const start = () => bucketStore(runFolder(folder, folder), bucket, (text) => expect.unreachable(text));
    const step = { step: 'create', startedAt: sample.run.startedAt, endedAt: sample.run.startedAt } as const;
    const [one, other] = sample.trials;
    if (!one || !other) throw new Error('the sample has trials');
    const before = start();
    await before.saveRun(sample.run);
    await before.saveStep(step);
    await before.saveTrial(one, []);
    const result = await sampleResult(options);
    await before.saveResult({ ...result, complete: false });
    await before.publish();
    const after = start();
    await after.saveStep(step);
    await after.goOn();
    await after.saveTrial(other, []);
    await after.publish();
    await after.saveResult(result);
    await after.publish();
    const where = `deploy/runs/${path.basename(folder)}/`;
    const contradictions = [...states, s3.objects].flatMap((objects) =>
      [...parseSums(objects.get(`${where}SHA256SUMS`) ?? '', 'it')].filter(
        ([name, sum]) => sumOf(objects.get(`${where}${name}`) ?? '') !== sum,
      ),
    );
    expect(contradictions).toEqual([]);
    expect(parseSums(s3.objects.get(`${where}SHA256SUMS`) ?? '', 'it')).toEqual(readSums(folder));
  });

  it('proves its manifest, too, where only a file without a line in it has changed', async () => {
    const folder = temporaryFolder();
    const bucket = openBucket(fakeS3().client, { bucket: 'results-bucket', prefix: 'deploy/' });
    const store = bucketStore(runFolder(folder, folder), bucket, (text) => expect.unreachable(text));
    const [trial] = sample.trials;
    if (!trial) throw new Error('the sample has trials');
    await store.saveRun(sample.run);
    await store.noteTrial({ ...trial, state: 'interrupted' });
    const before = await store.publish();
    await store.noteTrial({
      ...trial,
      state: 'interrupted',
      warnings: [{ id: 'measurement', message: 'another stage' }],
    });
    expect((await store.publish()).objects).toBe(before.objects);
  });
});

describe('a run that is read from a bucket', () => {
  const run = 'runs/2026-11-21T12-00-00Z/';
  const address = 's3://bucket/deploy/';
  let root: string;
  let folder: string;
  /** What a driver leaves that was killed: no result, and a status that says which trials there are. */
  beforeEach(async () => {
    root = temporaryFolder();
    folder = path.join(root, 'deploy', run);
    mkdirSync(folder, { recursive: true });
    cpSync(path.join(fixtures, `results/v${runFile.schemaVersion}`), folder, { recursive: true });
    const status = JSON.parse(
      readFileSync(path.join(fixtures, `status/v${statusFile.schemaVersion}/running.json`), 'utf8'),
    ) as RunStatus;
    const { result } = await openFolder(folder);
    const [known] = status.trials;
    const trials = result.trials.map(({ id }) => ({ ...known, id }));
    writeFileSync(path.join(root, 'deploy/status.json'), JSON.stringify({ ...status, run, trials }));
    rmSync(path.join(folder, 'result.json'));
    sealAgain(folder);
  });

  it.each([address, `${address}${run}`])(
    'is put together from its trials where it has no result: %s',
    async (named) => {
      const opened = await openAddress(bucketReader(folderAsBucket(root)), named);
      expect(opened.location).toBe(`${address}${run}`);
      const here = await openFolder(folder);
      expect(opened.result).toEqual(here.result);
      for (const trial of opened.result.trials) {
        expect(await opened.series.read(trial)).toEqual(await here.series.read(trial));
      }
    },
  );

  it('has what any source finds later, also one that this pgduet does not know', async () => {
    const { result } = await openFolder(folder);
    const id = result.trials[0]?.id ?? '';
    await runFolder(folder, folder).saveLater(
      id,
      { collector: 'meter', measures: { 'meter.watts': 7 }, facts: {} },
      [],
    );
    const opened = await openAddress(bucketReader(folderAsBucket(root)), address);
    expect(opened.result.trials.find((one) => one.id === id)?.measures['meter.watts']).toBe(7);
  });

  it('has the series of what was found later', async () => {
    const { result } = await openFolder(folder);
    const id = result.trials[0]?.id ?? '';
    const later = { collector: 'cloudwatch', measures: { 'cloudwatch.writeIOPS': 1 }, facts: {} };
    await runFolder(folder, folder).saveLater(id, later, [{ second: 0, name: 'cloudwatch.writeIOPS', value: 1 }]);
    const opened = await openAddress(bucketReader(folderAsBucket(root)), address);
    const trial = opened.result.trials.find((one) => one.id === id);
    expect(trial?.measures['cloudwatch.writeIOPS']).toBe(1);
    expect(trial && (await opened.series.read(trial)).get('cloudwatch.writeIOPS')).toEqual([{ second: 0, value: 1 }]);
  });

  it('has what was found later', async () => {
    const { result } = await openAddress(bucketReader(folderAsBucket(root)), address);
    expect(result.trials.filter(({ facts }) => facts.events !== undefined)).toHaveLength(1);
  });

  it('is refused where a trial or a series was changed, or is gone, by their address', async () => {
    const own = `${run}trials/block-01-1-with-log-volume/`;
    const series = path.join(root, 'deploy', own, 'series.parquet');
    const kept = readFileSync(series);
    const opened = await openAddress(bucketReader(folderAsBucket(root)), address);
    writeFileSync(series, Buffer.concat([kept, Buffer.from('x')]));
    const trial = opened.result.trials.find(({ id }) => own.includes(id));
    if (trial) await expect(opened.series.read(trial)).rejects.toThrow(`${address}${own}series.parquet was changed: `);
    writeFileSync(series, kept);
    const record = path.join(root, 'deploy', own, 'trial.json');
    writeFileSync(record, readFileSync(record, 'utf8').replace(/"tps": *[\d.]+/, '"tps": 99999'));
    await expect(openAddress(bucketReader(folderAsBucket(root)), address)).rejects.toThrow(
      `${address}${own}trial.json was changed: `,
    );
    rmSync(record);
    await expect(openAddress(bucketReader(folderAsBucket(root)), address)).rejects.toThrow(
      `${address}${own}trial.json is missing: `,
    );
    const { result } = await openAddress(bucketReader(folderAsBucket(root)), address, { unverified: true });
    expect(result.unverified).toEqual([expect.stringContaining(`${address}${own}trial.json is missing: `)]);
  });

  it('is refused where S3 does not let its manifest be read: it is not one that has none', async () => {
    const s3 = fakeS3();
    for (const name of allFiles(root)) s3.objects.set(name, readFileSync(path.join(root, name), 'utf8'));
    s3.answerWith((key) => (key.endsWith('/SHA256SUMS') ? s3Error('AccessDenied', 'Access Denied', 403) : undefined));
    await expect(openAddress(bucketReader(s3.client), address)).rejects.toThrow(
      `s3:GetObject of ${address}${run}SHA256SUMS was denied`,
    );
  });

  it('says where a trial is damaged, by its address', async () => {
    const trial = `${run}trials/block-01-1-with-log-volume/trial.json`;
    writeFileSync(path.join(root, 'deploy', trial), '{');
    sealAgain(folder);
    const { result } = await openAddress(bucketReader(folderAsBucket(root)), address);
    const failed = result.trials.flatMap(({ failure }) => failure?.error ?? []);
    expect(failed).toEqual([`${address}${trial} is damaged`]);
  });

  it('is refused where the series of a trial are damaged, by their address', async () => {
    const series = `${run}trials/block-01-1-with-log-volume/series.parquet`;
    writeFileSync(path.join(root, 'deploy', series), 'no Parquet');
    sealAgain(folder);
    const opening = openAddress(bucketReader(folderAsBucket(root)), address);
    await expect(opening).rejects.toThrow(UserError);
    await expect(opening).rejects.toThrow(`${address}${series} is missing or damaged: `);
  });

  it('is refused where its steps are damaged, by their address', async () => {
    writeFileSync(path.join(folder, 'steps.jsonl'), '{"step":"cre\n{"step":"load","startedAt":"3","endedAt":"4"}\n');
    const opening = openAddress(bucketReader(folderAsBucket(root)), address);
    await expect(opening).rejects.toThrow(UserError);
    await expect(opening).rejects.toThrow(`${address}${run}steps.jsonl`);
  });
});
