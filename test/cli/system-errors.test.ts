import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { describe, expect, it } from 'vitest';
import { main } from '../../runner/cli/main.ts';
import { type Declare, verb } from '../../runner/cli/verb.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';

async function endedBy(error: Error): Promise<{ exitCode: number; stderr: string }> {
  const { io, printed } = fakeIo({ errorColumns: Infinity });
  const declare: Declare = (command) => command.action(() => Promise.reject(error));
  await main(['fail'], io, [verb('fail', '', () => Promise.resolve({ declare }))]);
  return printed();
}

const file = '/results/run.json';
const address = { address: '127.0.0.1', port: 5432 };
const secret = 'geheim';

/** What Node says of each kind of work, and what must be in the sentence about it. */
const operations: Record<string, { call: object; shows: string }> = {
  open: { call: { syscall: 'open', path: file }, shows: `open ${file}` },
  read: { call: { syscall: 'read', path: file }, shows: `read ${file}` },
  write: { call: { syscall: 'write', path: file }, shows: `write ${file}` },
  fsync: { call: { syscall: 'fsync', path: file }, shows: `write ${file}` },
  rename: { call: { syscall: 'rename', path: '/results/a', dest: file }, shows: `rename /results/a to ${file}` },
  mkdir: { call: { syscall: 'mkdir', path: '/results' }, shows: 'make /results' },
  watch: { call: { syscall: 'watch', path: '/results', filename: '/results' }, shows: 'watch /results' },
  statfs: { call: { syscall: 'statfs', path: '/results' }, shows: 'look at /results' },
  'write to an open file': { call: { syscall: 'write' }, shows: 'write ' },
  spawn: {
    call: { syscall: 'spawn pgbench', path: 'pgbench', spawnargs: [`password=${secret}`] },
    shows: 'start pgbench',
  },
  connect: { call: { syscall: 'connect', ...address }, shows: 'connect to 127.0.0.1:5432' },
  listen: { call: { syscall: 'listen', ...address }, shows: 'listen at 127.0.0.1:5432' },
  kill: { call: { syscall: 'kill' }, shows: 'send a signal to a process' },
};

/** Names of the system's errors as they come to us: Node has names for only two thirds of them. */
const numbers = Object.entries(constants.errno);
const disk = ['EIO', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG', 'ESTALE', 'ENXIO'];
const network = ['ECONNREFUSED', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNRESET', 'EPIPE'];

async function ended(number: number, call: object): Promise<{ exitCode: number; printed: string }> {
  const code = getSystemErrorName(-number);
  const error = Object.assign(new Error(`${code}: ${secret}`), { errno: -number, code, ...call });
  const { exitCode, stderr } = await endedBy(error);
  return { exitCode, printed: stderr.trim() };
}

/** Every code with one operation, in turn, so that every operation has some. */
const pairs = numbers.map(([name, number], index) => {
  const [what, operation] = Object.entries(operations)[index % Object.keys(operations).length] ?? [];
  return { name, number, what, call: operation?.call ?? {}, shows: operation?.shows ?? '' };
});

it.each(pairs)('$name of $what: the words say what, why and what to do', async ({ number, call, shows }) => {
  const { exitCode, printed } = await ended(number, call);
  expect([2, 3]).toContain(exitCode);
  expect(printed).toMatch(/^pgduet: Could not [^:]+(:\d+)?: [^()]+( \(E[A-Z0-9]+\))?\. [A-Z].*\.$/);
  expect(printed).toContain(shows);
  expect(printed).not.toMatch(/\b(bug|undefined|null|NaN)\b/);
  expect(printed).not.toContain(secret);
});

describe('a disk and a network', () => {
  it.each(disk)('are not mixed up: %s of a file is for the user to put right', async (name) => {
    const { exitCode, printed } = await ended(numberOf(name), { syscall: 'write', path: file });
    expect(printed).not.toMatch(/connect|server/);
    expect(printed).toContain(`(${name})`);
    expect(exitCode).toBe(2);
  });

  it.each(disk)('are not mixed up: %s of a connection is not about a disk', async (name) => {
    expect((await ended(numberOf(name), { syscall: 'connect', ...address })).printed).not.toMatch(/disk|folder/);
  });

  it.each(network)('are not mixed up: %s of a connection may pass', async (name) => {
    const { exitCode, printed } = await ended(numberOf(name), { syscall: 'read' });
    expect(printed).toContain('Could not read from a connection');
    expect(printed).not.toMatch(/disk|folder/);
    expect(exitCode).toBe(3);
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('a name service that answers %s may answer later', async (code) => {
    const call = { errno: -3008, code, syscall: 'getaddrinfo', hostname: 'db.example' };
    const { exitCode, stderr } = await endedBy(Object.assign(new Error(code), call));
    expect(stderr).toMatch(/^pgduet: Could not find the address of db\.example: the name service /);
    expect(exitCode).toBe(3);
  });
});

it.each(['ENOMEM', 'ENFILE', 'EAGAIN', 'EINTR'])('%s may pass: another start may have what it needs', async (name) => {
  expect((await ended(numberOf(name), { syscall: 'open', path: file })).exitCode).toBe(3);
});

it('a damaged file system is named, though neither Node nor its list of numbers knows the code', async () => {
  expect((await ended(117, { syscall: 'scandir', path: '/results' })).printed).toBe(
    'pgduet: Could not list /results: the file system is damaged (EUCLEAN). Repair it with `fsck`.',
  );
});

it.each([new TypeError('x is not a function'), new RangeError('x'), new Error('x')])(
  '%s stays a bug',
  async (error) => {
    const { exitCode, stderr } = await endedBy(error);
    expect(stderr).toContain('this is a bug');
    expect(exitCode).toBe(70);
  },
);

function numberOf(name: string): number {
  return (constants.errno as Record<string, number>)[name] ?? 0;
}
