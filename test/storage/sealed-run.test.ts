import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lossesOf } from '../../runner/analysis/counted-trials.ts';
import { openFolder } from '../../runner/analysis/open-result.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { parseSums, readSums, sumOf, sumsText } from '../../runner/files/sums.ts';
import { readRunFolder, runFolder } from '../../runner/storage/run-folder.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';
import { allFiles, sealAgain, sealedSampleToCopy, unseal } from '../helpers/samples/sealed-sample.ts';

const options = { blocks: 2, trialSeconds: 5 };
const first = 'trials/block-01-1-without-log-volume';
const copySampleTo = sealedSampleToCopy(options);
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  copySampleTo(folder);
});

const at = (name: string): string => path.join(folder, name);
const checkedBySha256sum = (where: string): string =>
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: where, encoding: 'utf8' });

/** Changes the record of a trial. */
function editTrial(id: string, changes: object): void {
  const file = at(`${id}/trial.json`);
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...changes }));
}

const copy = 'trials/block-03-1-without-log-volume';
/** A trial that somebody has copied: no line of the manifest is about it. */
function putThere(changes: object = {}): void {
  mkdirSync(at(copy));
  writeFileSync(at(`${copy}/trial.json`), readFileSync(at(`${first}/trial.json`)));
  editTrial(copy, { id: path.basename(copy), block: 3, ...changes });
}

describe('SHA256SUMS of a run', () => {
  it('names every file but our own notes and what is made of the others, as sha256sum reads it', () => {
    const made = ['report.html', 'report.md', 'report.json', 'pairs.csv', 'charts/change.svg'];
    mkdirSync(at('charts'));
    for (const name of made) writeFileSync(at(name), 'made anew at any time');
    const named = [...(readSums(folder)?.keys() ?? [])];
    const wanted = allFiles(folder).filter((file) => !['SHA256SUMS', '.uploaded.json', ...made].includes(file));
    expect(named).toEqual(wanted.sort());
    expect(checkedBySha256sum(folder).trim().split('\n')).toEqual(named.map((name) => `${name}: OK`));
  });

  it('has the files of a trial as soon as it is saved, and of one that is under way none', async () => {
    const [trial, next] = recordSample(options).trials;
    if (!trial || !next) throw new Error('the sample has trials');
    const { id } = trial;
    const other = temporaryFolder();
    const store = runFolder(other, other);
    await store.saveRun(recordSample(options).run);
    writeFileSync(path.join(store.trialFolder(id), 'pgbench.stdout.log'), 'tps = 1\n');
    await store.saveTrial(trial, recordSample(options).rows.get(id) ?? []);
    store.trialFolder(next.id);
    await store.noteTrial({ ...next, state: 'interrupted', measures: {} });
    expect([...(readSums(other)?.keys() ?? [])]).toEqual([
      'run.json',
      `trials/${id}/pgbench.stdout.log`,
      `trials/${id}/series.parquet`,
      `trials/${id}/trial.json`,
    ]);
  });

  it.each(['a\\b', 'a\nb', 'a\rb', 'a b', 'ä'])('holds a name as strange as %j, as sha256sum does', (name) => {
    const other = temporaryFolder();
    writeFileSync(path.join(other, name), 'x');
    const text = sumsText(new Map([[name, sumOf('x')]]));
    writeFileSync(path.join(other, 'SHA256SUMS'), text);
    expect([...parseSums(text, 'it')]).toEqual([[name, sumOf('x')]]);
    expect(checkedBySha256sum(other)).toContain('OK');
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, -5)],
    ['with another digit of no number', (text: string) => text.replace(/^./, 'g')],
    ['with a file elsewhere', (text: string) => text.replace(/^(\w+) {2}.*$/m, '$1  trials/../../run.json')],
    ['with a file by its whole path', (text: string) => text.replace(/^(\w+) {2}.*$/m, '$1  /etc/hostname')],
    ['with a file twice', (text: string) => `${text}${text.split('\n')[0] ?? ''}\n`],
  ])('is refused by its line where it is damaged: %s', async (_, damage) => {
    writeFileSync(at('SHA256SUMS'), damage(readFileSync(at('SHA256SUMS'), 'utf8')));
    await expect(openFolder(folder)).rejects.toThrow(UserError);
    await expect(openFolder(folder)).rejects.toThrow(/SHA256SUMS:\d+ is damaged: ".*"; expected a SHA-256/);
  });

  it('is refused if it names more files than any run has', async () => {
    const lines = Array.from({ length: 100_001 }, (_, index) => `${'0'.repeat(64)}  ${index}\n`);
    writeFileSync(at('SHA256SUMS'), lines.join(''));
    await expect(openFolder(folder)).rejects.toThrow(/SHA256SUMS names 100,001 files; no run has more than 100,000/);
  });
});

describe('a run without its result', () => {
  beforeEach(() => rmSync(at('result.json')));

  it('is refused where a trial was changed, by its path', async () => {
    editTrial(first, { measures: { tps: 99999 } });
    await expect(openFolder(folder)).rejects.toThrow(
      `${at(`${first}/trial.json`)} was changed: this contradicts SHA256SUMS. Restore the original. To see it without verdicts: npx --no-install pgduet report ${folder} --unverified`,
    );
  });

  it('is refused where a trial is gone, by its path', async () => {
    rmSync(at(first), { recursive: true });
    await expect(openFolder(folder)).rejects.toThrow(`${at(`${first}/trial.json`)} is missing: this contradicts`);
  });

  it.each([`${first}/later/cloudwatch.json`, 'steps.jsonl'])(
    'is refused where %s is gone, by its path',
    async (name) => {
      rmSync(at(name));
      await expect(openFolder(folder)).rejects.toThrow(`${at(name)} `);
    },
  );

  it('is refused where its record was edited and lost its line in the manifest', async () => {
    writeFileSync(at('run.json'), readFileSync(at('run.json'), 'utf8').replace('"quick"', '"made-up"'));
    unseal(folder, 'run.json');
    await expect(openFolder(folder)).rejects.toThrow(
      `${at('run.json')} was added, or its line was removed from SHA256SUMS: this contradicts SHA256SUMS.`,
    );
    expect((await openFolder(folder, { unverified: true })).result.unverified).toHaveLength(1);
  });

  it('does not count steps that have lost their line in the manifest, and says so', async () => {
    expect((await openFolder(folder)).result.steps).toHaveLength(1);
    unseal(folder, 'steps.jsonl');
    const { steps, warnings } = (await openFolder(folder)).result;
    expect(steps).toEqual([]);
    expect(warnings[0]?.message).toContain(`${at('steps.jsonl')} is not in SHA256SUMS`);
  });

  it('does not take steps into its manifest that it does not have, or has otherwise', async () => {
    const step = { step: 'touch', startedAt: '2026-11-21T12:00:00Z', endedAt: '2026-11-21T12:00:00Z' } as const;
    const store = runFolder(folder, folder);
    unseal(folder, 'steps.jsonl');
    await store.saveStep(step);
    expect(readRunFolder(folder).steps.map((one) => one.step)).toEqual(['touch']);
    writeFileSync(at('steps.jsonl'), readFileSync(at('steps.jsonl'), 'utf8').replace('touch', 'settle'));
    await expect(store.saveStep(step)).rejects.toThrow(`${at('steps.jsonl')} was changed`);
  });

  it.each(['note.txt', 'inputs/files/other.sql', 'run.json', 'trials/of-nobody/note.txt'])(
    'has nothing in its manifest at its end that somebody else has put there: %s',
    async (name) => {
      const { result } = await openFolder(folder);
      if (name === 'run.json') unseal(folder, name);
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), 'put there');
      await runFolder(folder, folder).saveResult(result);
      expect(readSums(folder)?.has('result.json')).toBe(true);
      expect(readSums(folder)?.has(name)).toBe(false);
    },
  );

  it('does not count a trial that was put there, nor what is said to be found later', async () => {
    const known = (await openFolder(folder)).result.trials.length;
    putThere();
    writeFileSync(
      at(`${first}/later/events.json`),
      readFileSync(at(`${first}/later/cloudwatch.json`), 'utf8')
        .replace('cloudwatch', 'events')
        .replace('"measures": {}', '"measures": {"tps": 99999}'),
    );
    const { trials } = readRunFolder(folder);
    expect(trials).toHaveLength(known + 1);
    expect(trials.find(({ block }) => block === 3)).toMatchObject({
      state: 'interrupted',
      measures: {},
      failure: { code: 'cut-off' },
    });
    expect(trials.filter(({ measures }) => measures['tps'] === 99999)).toEqual([]);
  });

  it('does not count a trial that failed, either, which was put there: it would be a loss of its side', () => {
    const failure = { stage: 'measure', code: 'server-ended', error: 'the server ended' };
    putThere({ state: 'failed', failure, measures: {}, checks: [] });
    const { trials } = readRunFolder(folder);
    expect(trials.find(({ block }) => block === 3)).toMatchObject({
      state: 'interrupted',
      failure: { code: 'cut-off' },
    });
    expect(lossesOf(trials, 'without-log-volume').lost).toBe(0);
  });

  it('keeps what a trial’s files were when it was saved, whatever becomes of them before the result is made', async () => {
    const { result } = await openFolder(folder);
    const log = `${first}/raw/log.1.gz`;
    const sum = readSums(folder)?.get(log);
    writeFileSync(at(log), 'other');
    writeFileSync(at(`${first}/note.txt`), 'put there');
    await runFolder(folder, folder).saveResult(result);
    expect(readSums(folder)?.get(log)).toBe(sum);
    expect(readSums(folder)?.has(`${first}/note.txt`)).toBe(false);
  });

  it('puts what was cut off on record as it counts, once its result is made', async () => {
    putThere();
    const { result } = await openFolder(folder);
    await runFolder(folder, folder).saveResult(result);
    expect(readSums(folder)?.has(`${copy}/trial.json`)).toBe(true);
    expect(JSON.parse(readFileSync(at(`${copy}/trial.json`), 'utf8'))).toMatchObject({ state: 'interrupted' });
    expect((await openFolder(folder)).result.trials.find(({ block }) => block === 3)?.state).toBe('interrupted');
  });
});

describe('a run with its result', () => {
  it('is refused where result.json or a series was changed, by its path', async () => {
    const series = at(`${first}/series.parquet`);
    const { result, series: source } = await openFolder(folder);
    const [trial] = result.trials;
    writeFileSync(series, Buffer.concat([readFileSync(series), Buffer.from('\n')]));
    if (trial) await expect(source.read(trial)).rejects.toThrow(`${series} was changed: this contradicts SHA256SUMS`);
    const file = at('result.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"complete": true', '"complete": false'));
    await expect(openFolder(folder)).rejects.toThrow(`${file} was changed: this contradicts SHA256SUMS`);
  });

  it('has none while that is not in the manifest, and is made of its trials', async () => {
    const { result } = await openFolder(folder);
    const file = at('SHA256SUMS');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^.* {2}result\.json\n/m, ''));
    expect((await openFolder(folder)).result).toMatchObject({
      endedAt: null,
      trials: { length: result.trials.length },
    });
  });

  it('of an earlier version, without a manifest, says so first of all', async () => {
    rmSync(at('SHA256SUMS'));
    expect((await openFolder(folder)).result.warnings.map(({ message }) => message)).toContain(
      'This run has no SHA256SUMS, so changes to its files cannot be detected.',
    );
  });

  it('agrees again where somebody changed the manifest, too: only a signature shows that', async () => {
    const file = at('result.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"complete": true', '"complete": false'));
    sealAgain(folder);
    expect((await openFolder(folder)).result.complete).toBe(false);
  });
});
