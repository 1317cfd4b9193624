import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

const commands: [string, (file: string) => string[]][] = [
  ['parse', (file) => ['parse', file]],
  ['digest', (file) => ['digest', file]],
  ['compare', (file) => ['compare', file, file]],
  ['report', (file) => ['report', file]],
];

// A test that waited for a writer, or read without end, would exceed its time.
it.each(commands)('%s refuses a pipe and a device at once', { timeout: 20_000 }, async (_, words) => {
  const pipe = path.join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const file of [pipe, '/dev/zero']) {
    const { exitCode, stderr, stdout } = await runCommandLine(words(file));
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(file);
  }
});

it('report refuses a run whose result is a pipe', { timeout: 20_000 }, async () => {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [path.join(folder, 'result.json')]);
  const { exitCode, stderr } = await runCommandLine(['report', folder]);
  expect(stderr).toContain('result.json is a pipe. Name a file.');
  expect(exitCode).toBe(2);
});
