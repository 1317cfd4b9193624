import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { project } from '../helpers/synthesize.ts';

const words = 'experiments/quick.yaml overrides pgduet’s built-in experiment of the same name.';
const brought = readFileSync(path.join(project, 'experiments/quick.yaml'), 'utf8');

async function printed(content: unknown, ...command: string[]): Promise<string> {
  const workingFolder = folderWithExperiment('quick', content);
  const { stdout, exitCode } = await runCommandLine(command, { workingFolder, columns: Infinity });
  expect(exitCode).toBe(0);
  return stdout;
}

const own = { ...smallExperiment(), name: 'quick' };

describe('an experiment with the name of another one that pgduet brings', () => {
  it.each([
    ['list', ['list']],
    ['plan', ['plan', 'quick']],
  ])('is said to hide it by %s', async (_, command) => {
    expect(await printed(own, ...command)).toContain(words);
  });

  it('is marked in the JSON of list', async () => {
    const listed = JSON.parse(await printed(own, 'list', '--json')) as { name: string; hidesAnother: boolean }[];
    expect(listed.filter(({ hidesAnother }) => hidesAnother).map(({ name }) => name)).toEqual(['quick']);
  });

  it('hides nothing if it says the same, whatever its comments are', async () => {
    for (const command of [['list'], ['plan', 'quick', '-p', 'local']]) {
      expect(await printed(`# mine\n${brought}`, ...command)).not.toContain('hides');
    }
  });

  it('hides nothing where its file is named', async () => {
    expect(await printed(own, 'plan', './experiments/quick.yaml')).not.toContain('hides');
  });
});
