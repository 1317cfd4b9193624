import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemProblem } from '../../runner/contract/errors.ts';

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('errors of the system that a user can put right name the file and the remedy', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'errors-test-'));
  try {
    const file = path.join(folder, 'a');
    writeFileSync(file, '');
    expect(systemProblem(errorOf(() => writeFileSync(path.join(file, 'b'), '')))?.message).toBe(
      `${file}/b goes through something that is no folder.`,
    );
    expect(systemProblem(errorOf(() => readFileSync(folder)))?.message).toMatch(/is a folder/);
    // Linux has a device that is always full.
    expect(systemProblem(errorOf(() => writeFileSync('/dev/full', 'x')))?.message).toMatch(
      /without room.*--out, TMPDIR/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('other errors stay bugs', () => {
  expect(systemProblem(new Error('x'))).toBeNull();
  expect(systemProblem(errorOf(() => readFileSync('/no/such/file')))).toBeNull();
});
