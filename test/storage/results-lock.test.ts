import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withResultsLocked } from '../../runner/storage/results-folder.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const failing = (): Promise<never> => Promise.reject(new Error('it did not begin'));

test.each([
  ['the folder of all results', 'out', 'out/tiny'],
  ['the folder of the experiment', 'out/tiny', 'out/tiny'],
])('a start that fails leaves %s that was there before, though it is empty', async (_, there, results) => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, there), { recursive: true });
  await expect(withResultsLocked(path.join(folder, results), failing)).rejects.toThrow('it did not begin');
  expect(existsSync(path.join(folder, there))).toBe(true);
  expect(readdirSync(path.join(folder, there))).toEqual([]);
});

test('a start that fails leaves no folder that it has made, however deep', async () => {
  const folder = temporaryFolder();
  await expect(withResultsLocked(path.join(folder, 'a/b/c/tiny'), failing)).rejects.toThrow('it did not begin');
  expect(readdirSync(folder)).toEqual([]);
});

test('what a start has written stays, with the folders that it made', async () => {
  const results = path.join(temporaryFolder(), 'a/tiny');
  await withResultsLocked(results, () => writeFile(path.join(results, 'result.json'), '{}'));
  expect(readdirSync(path.dirname(results))).toEqual(['tiny']);
});
