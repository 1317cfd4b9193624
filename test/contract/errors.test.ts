import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nameFile, passingProblem, PartError, systemProblem } from '../../runner/contract/errors.ts';

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
      `${file}/b goes through something that is not a folder. Correct the path.`,
    );
    expect(systemProblem(errorOf(() => readFileSync(folder)))?.message).toMatch(/is a folder/);
    // Linux has a device that is always full.
    expect(systemProblem(errorOf(() => writeFileSync('/dev/full', 'x')))?.message).toMatch(
      /on a full disk.*--out, TMPDIR/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a disk without room is named by the file that was written', () => {
  const full = errorOf(() => writeFileSync('/dev/full', 'x'));
  expect(systemProblem(nameFile(full, '/results/run.json'))?.message).toMatch(
    /^\/results\/run\.json is on a full disk/,
  );
  const copied = Object.assign(new Error('copyfile'), { code: 'ENOSPC', path: '/mine/a', dest: '/results/a' });
  expect(systemProblem(copied)?.message).toMatch(/^\/results\/a is on a full disk/);
  // Of a file that may not be read, the copy is not the trouble.
  expect(systemProblem(Object.assign(copied, { code: 'EACCES' }))?.message).toMatch(/^\/mine\/a cannot be accessed/);
});

test('what is no error of the system gets no name of a file', () => {
  const error = new Error('x');
  expect(nameFile(error, '/results/a')).toBe(error);
  expect(error).not.toHaveProperty('path');
});

test.each([
  ['EROFS', /^\/results\/a is on a read-only disk\. Choose another folder/],
  ['EDQUOT', /^\/results\/a is on a disk where this user’s quota is used up/],
])('%s is for the user to put right', (code, message) => {
  const problem = systemProblem(Object.assign(new Error(code), { code, path: '/results/a' }));
  expect(problem).toMatchObject({ message: expect.stringMatching(message) as string, passing: false });
});

test.each<[string, Error]>([
  ['a server that ended', new PartError('the server of one ended (SIGKILL)')],
  ['a connection that is refused', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ['a connection that is lost', new Error('Connection terminated unexpectedly')],
  ['a server that shuts down', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ['a disk of a server that is full', Object.assign(new Error('could not extend file'), { code: '53100' })],
  ['a server that fails in itself', Object.assign(new Error('could not write init file'), { code: 'XX000' })],
])('%s is trouble outside that may pass, and no bug', (_, error) => {
  expect(passingProblem(error)).toMatchObject({
    passing: true,
    message: expect.stringContaining(error.message) as string,
  });
});

test('a statement that the server does not understand is a bug', () => {
  expect(passingProblem(Object.assign(new Error('syntax error'), { code: '42601' }))).toBeNull();
});

test('other errors stay bugs', () => {
  expect(systemProblem(new Error('x'))).toBeNull();
  expect(systemProblem(errorOf(() => readFileSync('/no/such/file')))).toBeNull();
});
