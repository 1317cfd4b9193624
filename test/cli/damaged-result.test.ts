import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';

let folder: string;
let whole: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-damaged-'));
  await saveSample(path.join(folder, 'run'), { blocks: 2 });
  whole = await readFile(result(), 'utf8');
});
beforeEach(() => writeFile(result(), whole));
afterAll(() => rm(folder, { recursive: true }));

const result = (): string => path.join(folder, 'run/result.json');

/** The text of result.json with one change. */
function changed(change: (content: Record<string, unknown>) => unknown): string {
  const content = JSON.parse(whole) as Record<string, unknown>;
  change(content);
  return JSON.stringify(content);
}

const commands = [
  ['compare', 'run', 'run'],
  ['report', 'run'],
];

describe.each(commands)('pgduet %s', (...words) => {
  it.each([
    [
      'of the version before',
      () => changed((content) => (content['schemaVersion'] = 1)),
      /schemaVersion 1, written by pgduet .*; this one reads 2\. Read it with that version of pgduet, or rerun\./,
    ],
    [
      'of a later version',
      () => changed((content) => (content['schemaVersion'] = 3)),
      /schemaVersion 3, written by pgduet .*; this one reads 2\. Update pgduet\./,
    ],
    [
      'whose experiment is named like a path',
      () => changed((content) => ((content['experiment'] as { name: string }).name = '../../etc')),
      /is damaged/,
    ],
    [
      'whose trial is named like a path',
      () => changed((content) => Object.assign((content['trials'] as object[])[0] ?? {}, { id: '../../../etc' })),
      /is damaged: .*a name of a file, without a path/,
    ],
    ['that is cut off', () => whole.slice(0, whole.length / 2), /is not JSON .*\. Specify a pgduet run folder/],
    ['that is empty', () => '', /is not JSON .*\. Specify a pgduet run folder/],
    [
      'without one of its fields',
      () => changed((content) => delete content['trials']),
      /is damaged: .*trials.* Specify a pgduet run folder, such as results\/quick\/latest\./,
    ],
    [
      'with a trial that lacks a field',
      () => changed(({ trials }) => delete (trials as Record<string, unknown>[])[1]?.['measures']),
      /is damaged: .*trials\[1\]\.measures.* Specify a pgduet run folder, such as results\/quick\/latest\./,
    ],
    [
      'that is something else',
      () => changed((content) => (content['kind'] = 'pgduet-run')),
      /is not a result of pgduet\. Specify a pgduet run folder/,
    ],
  ])('refuses a result.json %s, naming it and what to do', async (_, text, message) => {
    await writeFile(result(), text());
    const printed = await runCommandLine(words, { workingFolder: folder });
    expect(printed).toMatchObject({ stdout: '', exitCode: 2 });
    const reported = printed.stderr.replace(/\s+/g, ' ');
    expect(reported).toContain(result());
    expect(reported).toMatch(message);
    expect(reported).not.toContain('this is a bug');
  });
});

describe('pgduet report', () => {
  it('shows a run in which the file of a trial is damaged only with --unverified, and counts that trial as lost, naming the file', async () => {
    await rm(result());
    const trial = path.join(folder, 'run/trials/block-01-1-without-log-volume/trial.json');
    const kept = await readFile(trial, 'utf8');
    await writeFile(trial, kept.slice(0, 100));
    const refused = await runCommandLine(['report', 'run'], { workingFolder: folder });
    const { exitCode } = await runCommandLine(['report', 'run', '--unverified'], { workingFolder: folder });
    await writeFile(trial, kept);
    expect(refused.exitCode).toBe(2);
    expect(exitCode).toBe(0);
    const report = await readFile(path.join(folder, 'run/report.md'), 'utf8');
    expect(report).toMatch(/trials\/block-01-1-without-log-volume\/trial\.json was changed/);
    expect(report).toContain('without-log-volume lost 1 of 2 trials');
  });

  it('refuses a run whose series are damaged, naming the file', async () => {
    const series = path.join(folder, 'run/trials/block-01-1-without-log-volume/series.parquet');
    const kept = await readFile(series);
    await writeFile(series, kept.subarray(0, 100));
    const { stdout, stderr, exitCode } = await runCommandLine(['report', 'run'], { workingFolder: folder });
    await writeFile(series, kept);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr.replace(/\s+/g, ' ')).toContain(`${series} was changed: `);
  });
});
