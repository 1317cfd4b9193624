import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { describeFailure } from '../../runner/contract/system-failure.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'system-failure-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [full, link] = [path.join(folder, 'full'), path.join(folder, 'link')];
writeFileSync(full, 'x');
symlinkSync('link', link);
const tooLong = path.join(folder, 'n'.repeat(5000));

/** What the system really answers. */
const provoked: [code: string, what: string, act: () => unknown][] = [
  ['ENOENT', `open ${folder}/none`, () => readFileSync(path.join(folder, 'none'))],
  ['ENOTDIR', `open ${full}/a`, () => writeFileSync(path.join(full, 'a'), '')],
  ['EISDIR', `open ${folder}`, () => writeFileSync(folder, '')],
  ['ELOOP', `open ${link}`, () => readFileSync(link)],
  ['EEXIST', `make ${folder}`, () => mkdirSync(folder)],
  ['ENOTEMPTY', `remove ${folder}`, () => rmdirSync(folder)],
  ['ENAMETOOLONG', `open ${tooLong.slice(0, 300)}...`, () => readFileSync(tooLong)],
  ['EISDIR', `remove ${folder}`, () => rmSync(folder)],
  ['ENOENT', `copy ${folder}/none to ${folder}/copy`, () => copyFileSync(`${folder}/none`, `${folder}/copy`)],
  ['ENOENT', `make ${folder}/none/XXXXXX`, () => mkdtempSync(`${folder}/none/`)],
  // Linux has a device that is always full.
  ['ENOSPC', 'write a file', () => writeFileSync('/dev/full', 'x')],
  ['ESRCH', 'send a signal to a process', () => process.kill(2 ** 22 + 1)],
];

test.each(provoked)('the system says %s where it could not %s', (code, what, act) => {
  expect(describeFailure(errorOf(act))).toMatchObject({ code, what });
});

describe('a program', () => {
  const ending = async (program: string): Promise<unknown> => {
    const child = spawn(program, ['dbname=x password=secret'], { env: { SECRET: 'secret' } });
    const [error] = (await once(child, 'error')) as [unknown];
    return describeFailure(error);
  };

  it('that is not there is to be installed', async () => {
    const found = await ending('/nowhere/pgbench');
    expect(found).toMatchObject({ code: 'ENOENT', kind: 'program', what: 'start /nowhere/pgbench' });
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('that may not be run is to be made accessible', async () => {
    const file = path.join(folder, 'program');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    expect(await ending(file)).toMatchObject({ code: 'EACCES', why: 'this user may not run it' });
  });
});

describe('a connection', () => {
  const listening = async (): Promise<number> => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  it('that is refused is named by its address, and may pass', async () => {
    const [error] = (await once(connect(1, '127.0.0.1'), 'error')) as [unknown];
    expect(describeFailure(error)).toMatchObject({
      what: 'connect to 127.0.0.1:1',
      kind: 'network',
      isTransient: true,
    });
  });

  it('that is refused at each address of a name is named by the first', () => {
    const [first, second] = ['::1', '127.0.0.1'].map((address) =>
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect', address, port: 1 }),
    );
    const error = Object.assign(new AggregateError([first, second]), { code: 'ECONNREFUSED' });
    expect(describeFailure(error)).toMatchObject({ code: 'ECONNREFUSED', what: 'connect to ::1:1' });
  });

  it('cannot be waited for at a port that is taken', async () => {
    const port = await listening();
    const [error] = (await once(createServer().listen(port, '127.0.0.1'), 'error')) as [unknown];
    expect(describeFailure(error)).toMatchObject({ code: 'EADDRINUSE', what: `listen at 127.0.0.1:${port}` });
  });
});

test.each([
  [new Error('x')],
  [new TypeError('x')],
  [Object.assign(new Error('x'), { code: '42601' })],
  [Object.assign(new TypeError('x'), { code: 'ERR_INVALID_ARG_TYPE' })],
  [new AggregateError([new TypeError('x')])],
  ['ENOENT'],
  [null],
])('%s is not the system’s', (error) => {
  expect(describeFailure(error)).toBeNull();
});

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
