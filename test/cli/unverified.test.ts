import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { sealedSampleToCopy } from '../helpers/samples/sealed-sample.ts';

const trial = 'trials/block-01-1-without-log-volume';
const copySampleTo = sealedSampleToCopy({});
let parent: string;
beforeEach(() => {
  parent = temporaryFolder();
  copySampleTo(path.join(parent, 'run'));
});

const at = (name: string): string => path.join(parent, 'run', name);
const text = (name: string): string => readFileSync(at(name), 'utf8');
const run = (...words: string[]): Promise<Printed> => runCommandLine(words, { workingFolder: parent, columns: 500 });
const mark = /NOT VERIFIED: do not rely on these numbers. .* was changed: this contradicts SHA256SUMS/;

describe.each([
  ['result.json', () => writeFileSync(at('result.json'), `${text('result.json')}\n`)],
  [
    'a trial without a result',
    () => {
      rmSync(at('result.json'));
      writeFileSync(at(`${trial}/trial.json`), text(`${trial}/trial.json`).replace(/"tps": [\d.]+/, '"tps": 99999'));
    },
  ],
  [
    'a series',
    () =>
      writeFileSync(
        at(`${trial}/series.parquet`),
        Buffer.concat([readFileSync(at(`${trial}/series.parquet`)), Buffer.from('x')]),
      ),
  ],
])('a run of which %s was changed', (what, change) => {
  beforeEach(change);

  it('is refused by report and, as far as it reads it, by compare, with the path and the remedy', async () => {
    const { exitCode, stderr, stdout } = await run('report', 'run');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/(result|trial)\.json|series\.parquet/);
    expect(stderr).toContain('was changed: this contradicts SHA256SUMS. Restore the original.');
    // It reads no series.
    expect((await run('compare', 'run', 'run')).exitCode).toBe(what === 'a series' ? 0 : 2);
  });

  it('is shown by --unverified: marked in every output, and without a verdict', async () => {
    expect(await run('report', 'run', '--unverified')).toMatchObject({ exitCode: 0, stderr: '' });
    const [html, markdown, csv] = [text('report.html'), text('report.md'), text('pairs.csv')];
    expect(html.replace(/<[^>]+>/g, '')).toMatch(mark);
    expect(markdown).toMatch(mark);
    expect(markdown).toContain('not verified: ');
    expect(csv).toMatch(/^metric,.*,verified\n/);
    expect(
      csv
        .trim()
        .split('\n')
        .slice(1)
        .every((line) => line.endsWith(',no')),
    ).toBe(true);
    const { exitCode, stdout, stderr } = await run('compare', 'run', 'run', '--unverified', '--json');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(mark);
    for (const { verdict, withheld } of JSON.parse(stdout) as Comparison[]) {
      expect(verdict).toBeNull();
      expect(withheld[0]?.id).toBe('not-verified');
    }
    expect((await run('compare', 'run', 'run', '--unverified', '--fail-on', 'withheld')).exitCode).toBe(1);
  });
});

describe('--unverified', () => {
  it('changes nothing of a run that agrees', async () => {
    await run('report', 'run');
    const before = [text('report.md'), text('pairs.csv')];
    expect(await run('report', 'run', '--unverified')).toMatchObject({ exitCode: 0, stderr: '' });
    expect([text('report.md'), text('pairs.csv')]).toEqual(before);
  });

  it('never counts a trial that was changed: its side lost it', async () => {
    rmSync(at('result.json'));
    writeFileSync(at(`${trial}/trial.json`), text(`${trial}/trial.json`).replace(/"tps": [\d.]+/, '"tps": 99999'));
    await run('report', 'run', '--unverified');
    expect(text('report.md')).toContain('without-log-volume lost 1 of 6 trials');
    expect(text('pairs.csv')).not.toMatch(/(?<![.\d])99999(?![.\d])/);
  });
});
