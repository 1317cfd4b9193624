import { describe, expect, it, test } from 'vitest';
import { nameFile, PartError, problemOf, wordsOf, unreadable, UserError } from '../../runner/contract/errors.ts';

test.each<[string, Error]>([
  ['a server that ended', new PartError('the server of one ended (SIGKILL)', 'server-ended')],
  ['a connection that is lost', new Error('Connection terminated unexpectedly')],
  ['a server that shuts down', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ['a disk of a server that is full', Object.assign(new Error('could not extend file'), { code: '53100' })],
  ['a server that fails in itself', Object.assign(new Error('could not write init file'), { code: 'XX000' })],
])('%s is trouble outside that may pass, and no bug', (_, error) => {
  expect(problemOf(error)).toMatchObject({
    isTransient: true,
    message: expect.stringContaining(error.message) as string,
  });
});

test.each([
  Object.assign(new Error('syntax error'), { code: '42601' }),
  new Error('x'),
  new TypeError('undefined is not a function'),
  Object.assign(new TypeError('bad argument'), { code: 'ERR_INVALID_ARG_TYPE' }),
])('%s is a bug', (error) => {
  expect(problemOf(error)).toBeNull();
});

test('a limit that a parameter sets does not pass, and its words name the parameter', () => {
  const limited = new Error('temporary file size exceeds temp_file_limit (0kB)');
  expect(problemOf(Object.assign(limited, { code: '53400' }))).toMatchObject({
    isTransient: false,
    message: expect.stringContaining('temp_file_limit (0kB)). Set it') as string,
  });
});

test('a problem that is in words already stays as it is', () => {
  const error = new UserError('no such thing');
  expect(problemOf(error)).toBe(error);
  expect(wordsOf(error)).toBe('no such thing');
});

describe('an error about an open file', () => {
  it('gets the name of the file, which the system does not give', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(problemOf(nameFile(full, '/results/run.json'))?.message).toBe(
      'Could not write /results/run.json: the disk is full (ENOSPC). Free up space there, or choose another folder (--out, TMPDIR).',
    );
  });

  it('keeps a name that it has', () => {
    const error = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: '/a' });
    expect(nameFile(error, '/b')).toHaveProperty('path', '/a');
  });

  it('gets none if it is not the system’s', () => {
    const error = new Error('x');
    expect(nameFile(error, '/results/a')).toBe(error);
    expect(error).not.toHaveProperty('path');
  });
});

test('why a file cannot be read is said in words', () => {
  const failed = Object.assign(new Error('EIO: i/o error, read'), { errno: -5, code: 'EIO', syscall: 'read' });
  expect(unreadable('/results/run.json', failed).message).toBe(
    '/results/run.json cannot be read: the disk failed. Check the disk, for example with `dmesg`.',
  );
});
