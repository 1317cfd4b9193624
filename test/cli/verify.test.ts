import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import { verifyAddress, verifyFolder } from '../../runner/analysis/verify/verify-run.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { Verification } from '../../runner/contract/check.ts';
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
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** Changes a JSON file. */
function edit(name: string, change: (content: { measures: Record<string, number> } & Record<string, unknown>) => void) {
  const content = JSON.parse(readFileSync(at(name), 'utf8')) as Parameters<typeof change>[0];
  change(content);
  writeFileSync(at(name), JSON.stringify(content));
}

async function verified(): Promise<Verification & { exitCode: number }> {
  const { stdout, stderr, exitCode } = await runCommandLine(['verify', 'run', '--json'], { workingFolder: parent });
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as Verification), exitCode };
}

describe('pgduet verify', () => {
  it('says of a run that is as it was measured how much agrees, and ends with 0', async () => {
    const { stdout, exitCode } = await runCommandLine(['verify', 'run'], { workingFolder: parent });
    expect(exitCode).toBe(0);
    const sealed = allFiles(folder).length - 2;
    expect(inOneLine(stdout)).toContain(`Files: ${sealed} of ${sealed} match SHA256SUMS.`);
    expect(inOneLine(stdout)).toContain('Trials: the numbers of 4 finished trials were compared with each other');
    expect(stdout.trimEnd()).toMatch(/\nEverything agrees\.$/);
  });

  it('names what is changed, missing or not in the manifest, and ends with 1', async () => {
    writeFileSync(at('load-without-log-volume.log'), 'other');
    rmSync(at('trials/block-02-1-with-log-volume'), { recursive: true });
    writeFileSync(at(`${first}/note.txt`), 'put there');
    const found = await verified();
    expect(found).toMatchObject({
      exitCode: 1,
      agrees: false,
      files: { changed: ['load-without-log-volume.log'], added: [`${first}/note.txt`], open: [] },
    });
    expect(found.files.missing).toContain('trials/block-02-1-with-log-volume/trial.json');
    const { stdout } = await runCommandLine(['verify', 'run'], { workingFolder: parent, columns: 200 });
    expect(stdout).toContain('  changed  load-without-log-volume.log\n');
    expect(stdout).toContain('  missing  trials/block-02-1-with-log-volume/trial.json\n');
    expect(stdout).toContain(`  unlisted ${first}/note.txt\n`);
    expect(stdout).toMatch(/NOT everything agrees\.\n$/);
  });

  it('makes the plan again, but for how long it takes, and finds that it was edited, although the manifest was made anew', async () => {
    const editPlan = (change: Record<string, unknown>): void => {
      edit('inputs/plan.json', (plan) => Object.assign(plan, change));
      sealAgain(folder);
    };
    editPlan({ expectedSeconds: 7, warnings: ['The machine is busy.'] });
    expect(await verified()).toMatchObject({ agrees: true });
    editPlan({ seed: 7 });
    expect(await verified()).toMatchObject({
      agrees: false,
      result: ['inputs/plan.json is not the plan that follows from the experiment of the run'],
    });
  });

  it('ends with 1 where there is no manifest, and with 2 where there is no run', async () => {
    rmSync(at('SHA256SUMS'));
    expect(await verified()).toMatchObject({ exitCode: 1, files: { sealed: false } });
    mkdirSync(path.join(parent, 'empty'));
    for (const name of ['empty', 'nowhere']) {
      const { exitCode, stderr } = await runCommandLine(['verify', name], { workingFolder: parent });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('holds no run of pgduet');
    }
  });

  it('does not take a manifest that lost its lines for that of a run that has not ended yet', async () => {
    writeFileSync(at('SHA256SUMS'), '');
    const { exitCode, files } = await verified();
    expect(exitCode).toBe(1);
    expect(files.added).toContain('run.json');
  });

  it('does not take a manifest that names only the record of a run for that of one that has not ended yet', async () => {
    const [record] = /^.* {2}run\.json\n/m.exec(readFileSync(at('SHA256SUMS'), 'utf8')) ?? [''];
    writeFileSync(at('SHA256SUMS'), record);
    const { exitCode, files } = await verified();
    expect(exitCode).toBe(1);
    expect(files.added).toContain(`${first}/trial.json`);
  });

  it('finds raw output that was taken away together with its lines', async () => {
    for (const name of ['pgbench.stdout.log', 'pgbench.stderr.log']) rmSync(at(`${first}/${name}`));
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      files: { changed: [], missing: [] },
      trials: {
        readAgain: 3,
        problems: [
          {
            trial: path.basename(first),
            problem: 'what pgbench printed is gone, so nothing confirms its numbers',
          },
        ],
      },
    });
  });

  it.each([`${first}/pgbench.stdout.log`, first, 'trials'])(
    'reads no raw output by way of a link: %s',
    async (name) => {
      renameSync(at(name), path.join(parent, 'elsewhere'));
      symlinkSync(path.join(parent, 'elsewhere'), at(name));
      const { exitCode, trials } = await verified();
      expect(exitCode).toBe(1);
      expect(trials.readAgain).toBe(name === 'trials' ? 0 : 3);
      expect(trials.problems).toContainEqual({
        trial: path.basename(first),
        problem: `${name} is not a file, so pgduet reads nothing through it`,
      });
    },
  );

  it('does not count the files of a run that has not ended yet', async () => {
    rmSync(at('result.json'));
    const text = readFileSync(at('SHA256SUMS'), 'utf8');
    writeFileSync(at('SHA256SUMS'), text.replace(/^.* {2}(result\.json|load-.*|steps\.jsonl)\n/gm, ''));
    expect(await verified()).toMatchObject({
      exitCode: 0,
      files: { added: [], open: ['load-without-log-volume.log', 'steps.jsonl'] },
    });
    const { stdout } = await runCommandLine(['verify', 'run'], { workingFolder: parent });
    expect(stdout).toContain('  open     steps.jsonl\n');
    expect(stdout).toMatch(/\nEverything in SHA256SUMS agrees\.\n$/);
  });

  it.each([
    [
      'a speed that its transactions and its time do not give',
      (of: Record<string, number>) => (of['tps'] = 99_999),
      /^99,999 transactions a second in [\d.]+ s do not make its [\d,]+ transactions$/,
    ],
    ['a speed below zero', (of: Record<string, number>) => (of['tps'] = -1), /^tps is -1$/],
    [
      'more transactions than its log',
      (of: Record<string, number>) => (of['log.transactions'] = 1e6),
      /^transaction log: the log has 1,000,000 transactions, .*; its record does not say so$/,
    ],
  ])('finds %s, although the manifest was made anew', async (_, change, problem) => {
    edit(`${first}/trial.json`, ({ measures }) => change(measures));
    edit('result.json', ({ trials }) => change((trials as { measures: Record<string, number> }[])[0]?.measures ?? {}));
    sealAgain(folder);
    const found = await verified();
    expect(found).toMatchObject({ exitCode: 1, files: { changed: [], missing: [] }, result: [] });
    expect(found.trials.problems).toContainEqual({
      trial: path.basename(first),
      problem: expect.stringMatching(problem) as string,
    });
  });

  it('finds a result that says other things of a trial than its own files, although the manifest was made anew', async () => {
    edit('result.json', ({ trials }) => {
      const [trial] = trials as { measures: Record<string, number> }[];
      if (trial) trial.measures['latency.p99'] = 1;
    });
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      result: [`the numbers of the trial ${path.basename(first)} in result.json differ from those in its own files`],
    });
  });

  it.each([
    ['a verdict', (of: Record<string, unknown>) => (of['verdict'] = 'equivalent')],
    ['a change', (of: Record<string, unknown>) => (of['change'] = 0.92)],
  ])('finds %s that its trials do not give, although the manifest was made anew', async (_, change) => {
    edit('result.json', ({ comparisons }) => {
      const decisive = (comparisons as Record<string, unknown>[]).find(({ primary }) => primary === true);
      if (decisive) change(decisive);
    });
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      result: [
        'the comparison of tps of with-log-volume with without-log-volume (this-machine) in result.json does not follow from its trials',
      ],
    });
  });

  it.each([
    ['a warning less', (of: Record<string, unknown>) => (of['warnings'] = []), 'warnings'],
    [
      'another setting of a server',
      (of: Record<string, unknown>) => {
        const [variant] = of['variants'] as { settings: Record<string, string> }[];
        if (variant) variant.settings['fsync'] = 'made up';
      },
      'variants',
    ],
    ['another end', (of: Record<string, unknown>) => (of['complete'] = false), 'complete'],
  ])('finds %s in result.json, although the manifest was made anew', async (_, change, part) => {
    edit('run.json', (run) => (run['warnings'] = ['It was a bad day.']));
    edit('result.json', (result) => (result['warnings'] = ['It was a bad day.', ...(result['warnings'] as string[])]));
    sealAgain(folder);
    expect(await verified()).toMatchObject({ exitCode: 0, resultMadeAgain: true });
    edit('result.json', change);
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      result: [`the field ${part} of result.json does not agree with the other files of the run`],
    });
  });

  it('finds a check of a trial that is said to have another outcome, although the manifest was made anew', async () => {
    const change = (of: Record<string, unknown>): unknown => (of['checks'] = (of['checks'] as object[]).slice(1));
    edit(`${first}/trial.json`, change);
    edit('result.json', ({ trials }) => change((trials as Record<string, unknown>[])[0] ?? {}));
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      result: ['the field trials of result.json does not agree with the other files of the run'],
    });
  });

  it('finds a trial that was taken away together with its lines', async () => {
    rmSync(at(first), { recursive: true });
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      files: { changed: [], missing: [] },
      result: [`result.json has a trial ${path.basename(first)}, but its files are gone`],
    });
  });

  /** Makes the decisive comparison a win. */
  function forge(comparison: Record<string, unknown>): void {
    Object.assign(comparison, { change: 0.9, speedup: 0.9, verdict: 'better' });
  }
  const decisiveOf = ({ comparisons }: Record<string, unknown>): Record<string, unknown> =>
    (comparisons as Record<string, unknown>[]).find(({ primary }) => primary === true) ?? {};

  it('finds a second comparison of the same name, of which a report would show the first', async () => {
    edit('result.json', (result) => {
      const forged = structuredClone(decisiveOf(result));
      forge(forged);
      (result['comparisons'] as unknown[]).unshift(forged);
    });
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      result: [expect.stringContaining('does not follow from its trials') as string],
    });
  });

  it.each(['a trial', 'what was found later'])('finds %s that is damaged as the manifest has it', async (what) => {
    const id = what === 'a trial' ? 'block-99-1-x' : path.basename(first);
    const name = what === 'a trial' ? 'trial.json' : 'later/rds.json';
    mkdirSync(path.dirname(at(`trials/${id}/${name}`)), { recursive: true });
    writeFileSync(at(`trials/${id}/${name}`), '{}');
    edit('result.json', (result) => forge(decisiveOf(result)));
    sealAgain(folder);
    const { exitCode, result } = await verified();
    expect(exitCode).toBe(1);
    expect(result).toContainEqual(expect.stringContaining(`trials/${id}/${name} `));
  });

  it('demands run.json beside raw output, whoever took its line away', async () => {
    edit('result.json', (result) => forge(decisiveOf(result)));
    rmSync(at('run.json'));
    sealAgain(folder);
    expect(await verified()).toMatchObject({
      exitCode: 1,
      result: [expect.stringContaining('there is no run.json') as string],
    });
  });

  it('makes the result of a copy again, which has no raw output, from the trials that it tells of', async () => {
    const copy = path.join(parent, 'copy');
    const { result, series } = await openFolder(folder);
    await copyRun(result, series, copy);
    rmSync(folder, { recursive: true });
    renameSync(copy, folder);
    expect(await verified()).toMatchObject({ exitCode: 0, resultMadeAgain: true });
    edit('result.json', (forged) => forge(decisiveOf(forged)));
    sealAgain(folder);
    expect(await verified()).toMatchObject({ exitCode: 1, resultMadeAgain: true });
  });

  it('finds a trial under the id of another server, also where there is no result', async () => {
    rmSync(at('result.json'));
    edit(`${first}/trial.json`, (trial) => (trial['conditions'] = { variant: 'with-log-volume' }));
    sealAgain(folder);
    const { exitCode, trials } = await verified();
    expect(exitCode).toBe(1);
    expect(trials.problems).toContainEqual({
      trial: path.basename(first),
      problem: 'the plan of its experiment has no such trial of this server',
    });
  });

  it.each([
    ['its scripts are no list', { scripts: 'x' }],
    ['its load is no map', { load: 'x' }],
    ['it has no variants', null],
  ])('refuses an experiment of which %s, also where there is no result', async (_, workload) => {
    rmSync(at('result.json'));
    edit('run.json', ({ experiment }) => {
      const { definition } = experiment as { definition: { workload: object; variants: object } };
      Object.assign(definition, workload ? { workload: { ...definition.workload, ...workload } } : { variants: {} });
    });
    sealAgain(folder);
    const { exitCode, result } = await verified();
    expect(exitCode).toBe(1);
    expect(result).toContainEqual(expect.stringContaining('is damaged'));
  });

  it('says that it does not make a result of another version again', async () => {
    for (const name of ['run.json', 'result.json']) edit(name, (of) => (of['toolVersion'] = '0.0.1'));
    sealAgain(folder);
    expect(await verified()).toMatchObject({ exitCode: 0, result: [], resultMadeAgain: false });
    const { stdout } = await runCommandLine(['verify', 'run'], { workingFolder: parent });
    expect(inOneLine(stdout)).toContain('did not compute it again, so only SHA256SUMS vouches for result.json');
    expect(stdout).toMatch(/\nThe files agree\. Only SHA256SUMS vouches for the result\.\n$/);
  });

  it('lists what it does not look into, such as a report and a link', async () => {
    writeFileSync(at('report.html'), 'all is well');
    mkdirSync(at('charts'));
    writeFileSync(at('charts/change.svg'), 'and in pictures');
    writeFileSync(at('charts/notes.txt'), 'but this is not one');
    symlinkSync('/dev/zero', at('inputs/files/large.sql'));
    const { files } = await verified();
    expect(files).toMatchObject({
      added: ['charts/notes.txt'],
      unchecked: ['.uploaded.json', 'charts/change.svg', 'inputs/files/large.sql', 'report.html'],
    });
    const { stdout } = await runCommandLine(['verify', 'run'], { workingFolder: parent, columns: 200 });
    expect(stdout).toMatch(/Not checked, .*:\n.*\n.*\n.*\n +report\.html\n/);
  });

  it.each([
    ['a link', (file: string) => symlinkSync(at('run.json'), file)],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ])('names a file as changed in whose place there is %s', async (_, put) => {
    rmSync(at(`${first}/output.log`));
    put(at(`${first}/output.log`));
    expect(await verified()).toMatchObject({ exitCode: 1, files: { changed: [`${first}/output.log`] } });
  });

  it('does the same for a run in a bucket', async () => {
    const bucket = path.join(parent, 'deploy/runs/2026-11-21T12-00-00Z');
    cpSync(folder, bucket, { recursive: true });
    const verifyThere = () =>
      verifyAddress(folderAsBucket(parent), 's3://bucket/deploy/runs/2026-11-21T12-00-00Z/', never);
    expect(await verifyThere()).toMatchObject({ agrees: true, result: [], trials: { checked: 4, problems: [] } });
    writeFileSync(path.join(bucket, `${first}/output.log`), 'other');
    rmSync(path.join(bucket, `${first}/raw`), { recursive: true });
    expect(await verifyThere()).toMatchObject({
      agrees: false,
      files: {
        changed: [`${first}/output.log`],
        missing: [`${first}/raw/log.1.gz`],
      },
    });
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
