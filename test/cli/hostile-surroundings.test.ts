import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launcher } from '../helpers/processes/command-line.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

const project = path.resolve(import.meta.dirname, '../..');
const output = path.join(project, 'test/fixtures/pgbench/14.1/plain.out');
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'hostile-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('text of others', () => {
  test('acts on no terminal: escape sequences in a name of a file are shown', () => {
    const file = path.join(folder, 'a\u001b]0;owned\u0007\u202eb');
    writeFileSync(file, '');
    const { stderr, status } = spawnSync(process.execPath, [launcher, 'parse', file], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr.replace(/\s+/g, '')).toContain(String.raw`a\u001b]0;owned\u0007\u202eb`);
    // eslint-disable-next-line no-control-regex -- this is what must not be there
    expect(stderr).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

test.each([['list'], []])('what is no experiment keeps nobody from seeing the others: %s', async (...words) => {
  const experiments = path.join(folder, 'experiments');
  mkdirSync(path.join(experiments, 'folder.yaml'), { recursive: true });
  symlinkSync('nowhere.yaml', path.join(experiments, 'dangling.yaml'));
  symlinkSync('loop.yaml', path.join(experiments, 'loop.yaml'));
  writeFileSync(path.join(experiments, 'mine.yaml'), 'name: mine\n');
  const { exitCode, stdout } = await runCommandLine(words, { workingFolder: folder });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('mine');
  expect(stdout).not.toMatch(/folder|dangling|loop/);
});

test('an output that comes slowly through a pipe is read to its end', async () => {
  const command = `(sleep 0.3; cat '${output}') | '${process.execPath}' '${launcher}' parse - --json`;
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(JSON.parse(await text(child.stdout))).toHaveLength(1);
});

test('an address in a bucket that goes up is refused', async () => {
  const { exitCode, stderr } = await runCommandLine(['report', 's3://results/dlv/../../etc/'], {
    workingFolder: folder,
  });
  expect(stderr).toContain('contains . or ..');
  expect(exitCode).toBe(2);
});

test('template replaces only what it wrote', () => {
  mkdirSync(path.join(folder, 'out'));
  writeFileSync(path.join(folder, 'out/thesis.txt'), 'x');
  const words = ['template', 'dlv-pgbench', '--out', path.join(folder, 'out')];
  const { status, stderr } = spawnSync(process.execPath, [launcher, ...words], { cwd: project, encoding: 'utf8' });
  expect(stderr).toContain('holds thesis.txt, which this command did not write');
  expect(status).toBe(2);
  expect(readdirSync(path.join(folder, 'out'))).toEqual(['thesis.txt']);
});

test('a plan that cannot be written to a full disk says so, and is no bug', () => {
  const command = `'${process.execPath}' '${launcher}' plan quick > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: project, encoding: 'utf8' });
  expect(stderr).toContain('pgduet: Could not write the output: the disk is full (ENOSPC). Free up space there');
  expect(status).toBe(2);
});

describe('an error that nothing waits for', () => {
  const dying = (thrown: string): { status: number | null; stderr: string } => {
    const program = path.join(folder, 'dying.mts');
    const source = `import { runProcess } from '${project}/runner/cli/process.ts';
      const declare = (command, io) => command.action(async () => {
        setTimeout(() => { throw ${thrown}; }, 10);
        await new Promise((resolve) => {
          const going = setInterval(() => undefined, 1000);
          io.signal.addEventListener('abort', () => { clearInterval(going); io.stderr.write('cleaned up\\n'); resolve(); });
        });
        io.signal.throwIfAborted();
      });
      await runProcess([{ usage: 'die', description: '', load: () => Promise.resolve({ declare }) }]);`;
    writeFileSync(program, source);
    const words = [path.join(project, 'bin/run.mjs'), program, 'die'];
    return spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
  };

  test('of the system is said once, has its exit code, and what runs is cleaned up', () => {
    const { status, stderr } = dying(
      `Object.assign(new Error('x'), { code: 'EIO', syscall: 'read', path: '/data/a' })`,
    );
    expect(stderr).toBe(
      'pgduet: Could not read /data/a: the disk failed (EIO). Check the disk, for example with `dmesg`.\ncleaned up\n',
    );
    expect(status).toBe(2);
  });

  test('of ours is a bug, and what runs is cleaned up', () => {
    const { status, stderr } = dying('new TypeError("x is not a function")');
    expect(stderr).toMatch(/this is a bug[^]*x is not a function[^]*cleaned up/);
    expect(status).toBe(70);
  });
});
