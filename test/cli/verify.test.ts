import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import { bucketReader } from '../../runner/rds/bucket/bucket-run.ts';
import { verifyAddress, verifyFolder } from '../../runner/analysis/verify/verify-run.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { Finding, FindingId, Verification } from '../../runner/contract/verification.ts';
import { copyRun } from '../../runner/storage/results-folder.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { folderAsBucket } from '../helpers/fakes/folder-as-bucket.ts';
import { repeats } from '../helpers/repeats.ts';
import { allFiles, sealAgain, sealedSampleToCopy } from '../helpers/samples/sealed-sample.ts';
import { randomOf } from '../fuzz/random.ts';

const options = { blocks: 2, trialSeconds: 5 };
const first = 'trials/block-01-1-without-log-volume';
const never = new AbortController().signal;
const copySampleTo = sealedSampleToCopy(options);
let parent: string;
let folder: string;
beforeEach(() => {
  parent = temporaryFolder();
  folder = path.join(parent, 'run');
  copySampleTo(folder);
});

const at = (name: string): string => path.join(folder, name);

type Json = Record<string, unknown>;

/** Changes a JSON file. */
function edit(name: string, change: (content: Json) => void): void {
  const content = JSON.parse(readFileSync(at(name), 'utf8')) as Json;
  change(content);
  writeFileSync(at(name), JSON.stringify(content));
}

async function verified(): Promise<Verification & { exitCode: number }> {
  const { stdout, stderr, exitCode } = await runCommandLine(['verify', 'run', '--json'], { workingFolder: parent });
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as Verification), exitCode };
}

const printed = async (): Promise<string> =>
  (await runCommandLine(['verify', 'run'], { workingFolder: parent, columns: 200 })).stdout;

/** What the first trial says of itself, in its own file and in the result. */
function editFirst(change: (trial: Json) => void): void {
  edit(`${first}/trial.json`, change);
  edit('result.json', ({ trials }) => change((trials as Json[])[0] ?? {}));
}
const measure = (name: string, value: number) => (): void =>
  editFirst(({ measures }) => ((measures as Json)[name] = value));
const decisiveOf = ({ comparisons }: Json): Json =>
  (comparisons as Json[]).find(({ primary }) => primary === true) ?? {};
const win = { change: 0.9, speedup: 0.9, verdict: 'better' };
const forge = (change: Json = win) => edit('result.json', (result) => Object.assign(decisiveOf(result), change));
const trial = path.basename(first);
const disagreeing = (field: string): string =>
  `the field ${field} of result.json does not agree with the other files of the run`;
const definition = (change: Json) => (): void => {
  rmSync(at('result.json'));
  edit('run.json', ({ experiment }) => Object.assign((experiment as { definition: Json }).definition, change));
};
const putDamaged = (name: string) => (): void => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), '{}');
  forge();
};

const filesOf = ({ findings }: Verification, id: FindingId): (string | undefined)[] =>
  findings.filter((finding) => finding.id === id).map(({ file }) => file);

describe('pgduet verify', () => {
  it('says of a run that is as it was measured how much agrees, and ends with 0', async () => {
    const sealed = allFiles(folder).length - 2;
    expect(await verified()).toMatchObject({
      exitCode: 0,
      agrees: true,
      findings: [],
      files: { sealed: true, agree: sealed },
      trials: { checked: 4 },
    });
  });

  it('names what is changed, missing or not in the manifest, and ends with 1', async () => {
    writeFileSync(at('load-without-log-volume.log'), 'other');
    rmSync(at('trials/block-02-1-with-log-volume'), { recursive: true });
    writeFileSync(at(`${first}/note.txt`), 'put there');
    const found = await verified();
    expect(found).toMatchObject({ exitCode: 1, agrees: false, files: { open: [] } });
    expect(filesOf(found, 'file-changed')).toEqual(['load-without-log-volume.log']);
    expect(filesOf(found, 'file-missing')).toContain('trials/block-02-1-with-log-volume/trial.json');
    expect(filesOf(found, 'file-unlisted')).toEqual([`${first}/note.txt`]);
    expect(await printed()).toMatch(
      / {2}changed {2}load-.* {2}missing {2}trials\/.* {2}unlisted trials\/.*VERIFICATION FAILED\.\n$/s,
    );
  });

  /** Each is a forgery whose manifest was made anew. */
  const forgeries: [what: string, forge: () => void, finds: Partial<Finding>][] = [
    [
      'another plan',
      () => edit('inputs/plan.json', (plan) => Object.assign(plan, { seed: 7 })),
      { id: 'plan-disagrees', file: 'inputs/plan.json' },
    ],
    [
      'raw output that was taken away',
      () => ['pgbench.stdout.log', 'pgbench.stderr.log'].forEach((name) => rmSync(at(`${first}/${name}`))),
      { id: 'output-missing', trial },
    ],
    [
      'a speed that its transactions and its time do not give',
      measure('tps', 99_999),
      { id: 'numbers-disagree', trial },
    ],
    ['a speed below zero', measure('tps', -1), { id: 'impossible-number', trial, message: 'tps is -1' }],
    ['more transactions than its log', measure('log.transactions', 1e6), { id: 'check-disagrees', trial }],
    [
      'a result that says other things of a trial than its own files',
      () =>
        edit('result.json', ({ trials }) =>
          Object.assign((trials as { measures: Json }[])[0]?.measures ?? {}, { 'latency.p99': 1 }),
        ),
      { id: 'trial-disagrees', trial },
    ],
    ['a verdict that its trials do not give', () => forge({ verdict: 'equivalent' }), { id: 'comparison-disagrees' }],
    ['a change that its trials do not give', () => forge({ change: 0.92 }), { id: 'comparison-disagrees' }],
    [
      'a second comparison of the same name, of which a report would show the first',
      () =>
        edit('result.json', (result) =>
          (result['comparisons'] as unknown[]).unshift({ ...structuredClone(decisiveOf(result)), ...win }),
        ),
      { id: 'comparison-disagrees' },
    ],
    [
      'a warning less',
      () => {
        edit('run.json', (run) => (run['warnings'] = ['It was a bad day.']));
      },
      { id: 'result-disagrees', message: disagreeing('warnings') },
    ],
    [
      'another setting of a server',
      () =>
        edit('result.json', ({ variants }) =>
          Object.assign((variants as { settings: Json }[])[0]?.settings ?? {}, { fsync: 'made up' }),
        ),
      { id: 'result-disagrees', message: disagreeing('variants') },
    ],
    [
      'another end',
      () => edit('result.json', (result) => (result['complete'] = false)),
      { id: 'result-disagrees', message: disagreeing('complete') },
    ],
    [
      'a check of a trial with another outcome',
      () => editFirst((trial) => (trial['checks'] = (trial['checks'] as object[]).slice(1))),
      { id: 'result-disagrees', message: disagreeing('trials') },
    ],
    ['a trial that was taken away', () => rmSync(at(first), { recursive: true }), { id: 'trial-missing', trial }],
    [
      'a damaged trial',
      putDamaged('trials/block-99-1-x/trial.json'),
      { id: 'file-damaged', message: expect.stringContaining('trials/block-99-1-x/trial.json ') as string },
    ],
    [
      'damaged findings of later',
      putDamaged(`${first}/later/rds.json`),
      { id: 'file-damaged', message: expect.stringContaining(`${first}/later/rds.json `) as string },
    ],
    [
      'raw output without run.json',
      () => {
        forge();
        rmSync(at('run.json'));
      },
      { id: 'file-damaged', message: expect.stringContaining('there is no run.json') as string },
    ],
    [
      'a trial under the id of another server, without a result',
      () => {
        rmSync(at('result.json'));
        edit(`${first}/trial.json`, (trial) => (trial['conditions'] = { variant: 'with-log-volume' }));
      },
      { id: 'trial-unplanned', trial },
    ],
    [
      'scripts that are no list',
      definition({ workload: { scripts: 'x' } }),
      { id: 'file-damaged', message: expect.stringContaining('is damaged') as string },
    ],
    [
      'a load that is no map',
      definition({ workload: { load: 'x' } }),
      { id: 'file-damaged', message: expect.stringContaining('is damaged') as string },
    ],
    [
      'no variants',
      definition({ variants: {} }),
      { id: 'file-damaged', message: expect.stringContaining('is damaged') as string },
    ],
  ];

  it.each(forgeries)('finds %s, although the manifest was made anew', async (_, change, finding) => {
    change();
    sealAgain(folder);
    const found = await verified();
    expect(found).toMatchObject({ exitCode: 1, agrees: false });
    expect([...filesOf(found, 'file-changed'), ...filesOf(found, 'file-missing')]).toEqual([]);
    expect(found.findings).toContainEqual(expect.objectContaining(finding));
  });

  it('takes another length and other warnings of the plan for what may differ', async () => {
    edit('inputs/plan.json', (plan) => Object.assign(plan, { expectedSeconds: 7, warnings: ['The machine is busy.'] }));
    sealAgain(folder);
    expect(await verified()).toMatchObject({ agrees: true });
  });

  it('ends with 1 where there is no manifest, and with 2 where there is no run', async () => {
    rmSync(at('SHA256SUMS'));
    expect(await verified()).toMatchObject({
      exitCode: 1,
      findings: [{ id: 'no-manifest' }],
      files: { sealed: false },
    });
    mkdirSync(path.join(parent, 'empty'));
    for (const name of ['empty', 'nowhere']) {
      const { exitCode, stderr } = await runCommandLine(['verify', name], { workingFolder: parent });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: expect.stringContaining('contains no pgduet run:') as string,
      });
    }
  });

  it.each([
    ['lost its lines', /^(?!)/gm, 'run.json'],
    ['names only the record of a run', /^.* {2}run\.json\n/m, `${first}/trial.json`],
  ])('does not take a manifest that %s for that of a run that has not ended yet', async (_, left, added) => {
    const [kept = ''] = left.exec(readFileSync(at('SHA256SUMS'), 'utf8')) ?? [];
    writeFileSync(at('SHA256SUMS'), kept);
    const found = await verified();
    expect(found.exitCode).toBe(1);
    expect(filesOf(found, 'file-unlisted')).toContain(added);
  });

  it.each([`${first}/pgbench.stdout.log`, first, 'trials'])(
    'reads no raw output by way of a link: %s',
    async (name) => {
      renameSync(at(name), path.join(parent, 'elsewhere'));
      symlinkSync(path.join(parent, 'elsewhere'), at(name));
      const { exitCode, trials, findings } = await verified();
      expect(exitCode).toBe(1);
      expect(trials.readAgain).toBe(name === 'trials' ? 0 : 3);
      expect(findings).toContainEqual(expect.objectContaining({ id: 'no-file', trial, file: name }));
    },
  );

  it('does not count the files of a run that has not ended yet', async () => {
    rmSync(at('result.json'));
    const text = readFileSync(at('SHA256SUMS'), 'utf8');
    writeFileSync(at('SHA256SUMS'), text.replace(/^.* {2}(result\.json|load-.*|steps\.jsonl)\n/gm, ''));
    const open = ['load-without-log-volume.log', 'steps.jsonl'];
    expect(await verified()).toMatchObject({ exitCode: 0, findings: [], files: { open } });
    expect(await printed()).toMatch(/ {2}open {5}steps\.jsonl\n.*\nAll files in SHA256SUMS match\.\n$/s);
  });

  it('makes the result of a copy again, which has no raw output, from the trials that it tells of', async () => {
    const copy = path.join(parent, 'copy');
    const { result, series } = await openFolder(folder);
    await copyRun(result, series, copy);
    rmSync(folder, { recursive: true });
    renameSync(copy, folder);
    expect(await verified()).toMatchObject({ exitCode: 0, resultMadeAgain: true });
    forge();
    sealAgain(folder);
    expect(await verified()).toMatchObject({ exitCode: 1, resultMadeAgain: true });
  });

  it('says that it does not make a result of another version again', async () => {
    for (const name of ['run.json', 'result.json']) edit(name, (of) => (of['toolVersion'] = '0.0.1'));
    sealAgain(folder);
    expect(await verified()).toMatchObject({ exitCode: 0, findings: [], resultMadeAgain: false });
    expect(await printed()).toMatch(/\nThe files match\. Only SHA256SUMS vouches for the result\.\n$/);
  });

  it('lists what it does not look into, such as a report and a link', async () => {
    writeFileSync(at('report.html'), 'all is well');
    mkdirSync(at('charts'));
    writeFileSync(at('charts/change.svg'), 'and in pictures');
    writeFileSync(at('charts/notes.txt'), 'but this is not one');
    symlinkSync('/dev/zero', at('inputs/files/large.sql'));
    const found = await verified();
    expect(filesOf(found, 'file-unlisted')).toEqual(['charts/notes.txt']);
    const unchecked = ['.uploaded.json', 'charts/change.svg', 'inputs/files/large.sql', 'report.html'];
    expect(found.files.unchecked).toEqual(unchecked);
  });

  it.each([
    ['a link', (file: string) => symlinkSync(at('run.json'), file)],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ])('names a file as changed in whose place there is %s', async (_, put) => {
    rmSync(at(`${first}/output.log`));
    put(at(`${first}/output.log`));
    expect(await verified()).toMatchObject({
      exitCode: 1,
      findings: expect.arrayContaining([
        expect.objectContaining({ id: 'file-changed', file: `${first}/output.log` }),
      ]) as Finding[],
    });
  });

  it('does the same for a run in a bucket', async () => {
    const bucket = path.join(parent, 'deploy/runs/2026-11-21T12-00-00Z');
    cpSync(folder, bucket, { recursive: true });
    const verifyThere = () =>
      verifyAddress(bucketReader(folderAsBucket(parent)), 's3://bucket/deploy/runs/2026-11-21T12-00-00Z/', never);
    expect(await verifyThere()).toMatchObject({ agrees: true, findings: [], trials: { checked: 4 } });
    writeFileSync(path.join(bucket, `${first}/output.log`), 'other');
    rmSync(path.join(bucket, `${first}/raw`), { recursive: true });
    const found = await verifyThere();
    expect(found.agrees).toBe(false);
    expect(filesOf(found, 'file-changed')).toEqual([`${first}/output.log`]);
    expect(filesOf(found, 'file-missing')).toEqual([`${first}/raw/log.1.gz`]);
  });
});

describe('a run of which one bit was flipped', () => {
  const copySmallTo = sealedSampleToCopy({ blocks: 1, trialSeconds: 5 });
  /** Everything that a reader shows. */
  async function read(): Promise<string> {
    const { result, series } = await openFolder(folder);
    const all = await Promise.all(result.trials.map(async (trial) => [...(await series.read(trial))]));
    return JSON.stringify([result, all]);
  }

  it('is refused or shows what it did before, and verify says so: flips in all of its files', async () => {
    rmSync(folder, { recursive: true });
    copySmallTo(folder);
    const whole = await read();
    rmSync(at('result.json'));
    const withoutResult = await read();
    rmSync(folder, { recursive: true });
    copySmallTo(folder);
    const files = allFiles(folder);
    const random = randomOf(20261124);
    const outcomes = { refused: 0, harmless: 0 };
    const flips = repeats(1000);
    for (let flip = 0; flip < flips; flip++) {
      const file = random.oneOf(files);
      const [byte, bit] = [random.below(readFileSync(at(file)).length), random.below(8)];
      const before = readFileSync(at(file));
      const after = Buffer.from(before);
      after[byte] = (after[byte] ?? 0) ^ (1 << bit);
      writeFileSync(at(file), after);
      const where = `bit ${bit} of byte ${byte} of ${file}`;
      try {
        const shown = await read();
        outcomes.harmless += 1;
        expect([whole, withoutResult].includes(shown), where).toBe(true);
      } catch (error) {
        expect(error, where).toBeInstanceOf(UserError);
        outcomes.refused += 1;
      }
      const agrees = await verifyFolder(folder, never).then(
        (found) => found.agrees,
        (error: unknown) => !(error instanceof UserError),
      );
      expect(agrees, where).toBe(file === '.uploaded.json');
      writeFileSync(at(file), before);
    }
    expect(outcomes.refused).toBeGreaterThan(0.15 * flips);
    expect(outcomes.harmless).toBeGreaterThan(0.1 * flips);
  }, 300_000);
});
