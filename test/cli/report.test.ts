import { Command } from 'commander';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerReport } from '../../runner/cli/commands/report.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { sampleResult } from '../helpers/sample-result.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('pgduet report', () => {
  it('writes both reports beside the result and prints where they are', async () => {
    await writeFile(path.join(folder, 'result.json'), JSON.stringify(sampleResult()));
    const files = JSON.parse(await report('.', '--json')) as Record<string, string>;
    expect(files).toEqual({ html: path.join(folder, 'report.html'), markdown: path.join(folder, 'report.md') });
    expect(await readFile(path.join(folder, 'report.html'), 'utf8')).toContain('with-log-volume is 31');
    expect(await readFile(path.join(folder, 'report.md'), 'utf8')).toContain('with-log-volume is 31 % faster');
  });

  it.each([
    ['is missing', undefined],
    ['is not JSON', '{'],
    ['is something else', '{"kind":"other"}'],
  ])('says what to name when result.json %s', async (_, text) => {
    if (text !== undefined) await writeFile(path.join(folder, 'result.json'), text);
    await expect(report('.')).rejects.toThrow(UserError);
    await expect(report('.')).rejects.toThrow(/result\.json .*Name /s);
  });
});

async function report(...words: string[]): Promise<string> {
  const stdout = new PassThrough();
  const program = new Command().exitOverride();
  registerReport(program, {
    stdout,
    stderr: new PassThrough(),
    environment: {},
    workingFolder: folder,
    signal: new AbortController().signal,
    statusLine: null,
    columns: 80,
    colour: false,
    setExitCode: () => undefined,
  });
  await program.parseAsync(['report', ...words], { from: 'user' });
  return String(stdout.read());
}
