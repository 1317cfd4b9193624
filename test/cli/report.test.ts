import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

const report = (...words: string[]): Promise<Printed> =>
  runCommandLine(['report', ...words], { workingFolder: folder, columns: 80 });
const read = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

describe('pgduet report', () => {
  it('writes the reports and the pairs beside the result and prints where they are', async () => {
    await saveSample(folder);
    const { stdout, stderr } = await report('.', '--json');
    const names = { html: 'report.html', markdown: 'report.md', json: 'report.json', csv: 'pairs.csv' };
    expect(stderr).toBe('');
    const { charts, ...files } = JSON.parse(stdout) as { charts: string[] } & Record<string, string>;
    expect(files).toEqual(
      Object.fromEntries(Object.entries(names).map(([key, name]) => [key, path.join(folder, name)])),
    );
    expect(charts).toContain(path.join(folder, 'charts/change.svg'));
    for (const chart of charts) expect(await readFile(chart, 'utf8')).toMatch(/^<svg\s+xmlns=/);
    expect(await read('report.html')).toContain('with-log-volume is 31');
    expect(await read('report.md')).toMatch(/with-log-volume is 31%/);
    expect(await read('pairs.csv')).toMatch(/^tps,1\/s,true,without-log-volume,with-log-volume,this-machine,1,1,,/m);
    expect((await report('.')).stdout).toBe(
      `${Object.values(names)
        .map((name) => path.join(folder, name))
        .join('\n')}\n`,
    );
  });

  it('makes the same result of a run that left none, from its trials', async () => {
    await saveSample(folder);
    await report('.');
    const [html, csv] = [await read('report.html'), await read('pairs.csv')];
    await rm(path.join(folder, 'result.json'));
    await rm(path.join(folder, 'report.html'));
    expect(await report('.')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await read('pairs.csv')).toBe(csv);
    expect(await read('report.html')).toContain(/<svg.*?<\/svg>/s.exec(html)?.[0]);
  });

  it.each([
    ['is missing', undefined],
    ['is not JSON', '{'],
    ['is something else', '{"kind":"other"}'],
  ])('says what to name when result.json %s', async (_, text) => {
    if (text !== undefined) await writeFile(path.join(folder, 'result.json'), text);
    const { stdout, stderr, exitCode } = await report('.');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr.replace(/\s+/g, ' ')).toMatch(/(result|run)\.json\b.* Specify a pgduet run folder/);
  });
});
