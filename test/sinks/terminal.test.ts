import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, commandLine } from '../helpers/processes/command-line.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { hostile, hostileResult } from './hostile.ts';

// eslint-disable-next-line no-control-regex -- these are what must not arrive
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pgduet-terminal-'));
  await saveResult(folder, (await hostileResult()).result);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The real command line, in a folder. */
function run(words: readonly string[], cwd: string): CommandLine['ended'] {
  return commandLine(words, { cwd, temporary: folder }).ended;
}

describe('nothing of a hostile text acts on a terminal', () => {
  it.each([[], ['--json']])('in the words of a comparison %s', async (...words) => {
    const { stdout, stderr } = await run(['compare', folder, folder, ...words], folder);
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toMatch(acting);
  });

  it('in the files of a report, and in what it says of them', async () => {
    const { stdout, stderr, exitCode } = await run(['report', folder], folder);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).not.toMatch(acting);
    for (const name of ['report.html', 'report.md', 'pairs.csv']) {
      expect(readFileSync(path.join(folder, name), 'utf8'), name).not.toMatch(acting);
    }
  });

  it('in the plan of a hostile experiment, and in what is wrong with it', async () => {
    const experiment = { ...smallExperiment(), question: hostile, [hostile]: hostile };
    const wrong = await run(['plan', 'small'], folderWithExperiment('small', experiment));
    expect(wrong.stderr).toContain('owned');
    expect(wrong.exitCode).toBe(2);
    const planned = await run(
      ['plan', 'small'],
      folderWithExperiment('small', { ...smallExperiment(), question: hostile.replaceAll('${', '$ {') }),
    );
    expect(planned.stdout + planned.stderr).toContain('owned');
    expect(planned.exitCode).toBe(0);
    for (const { stdout, stderr } of [wrong, planned]) expect(stdout + stderr).not.toMatch(acting);
  });
});
