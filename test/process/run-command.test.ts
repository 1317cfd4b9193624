import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processStart } from '../../runner/process/tracked-process.ts';
import { runCommand } from '../../runner/process/run-command.ts';
import { ownTemporaryFolder } from '../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const shell = (script: string): string[] => ['sh', '-c', script];
const filesOf = (name: string) => ({
  stdout: path.join(temporary(), `${name}.stdout.log`),
  stderr: path.join(temporary(), `${name}.stderr.log`),
});

describe('a program whose output goes through pipes', () => {
  it('is kept as it printed, with every line as it comes', async () => {
    const lines: string[] = [];
    const result = await runCommand(shell("printf 'one\\r\\ntwo\\n\\nthree'; printf 'error\\n' >&2; exit 3"), {
      onStdoutLine: (line) => lines.push(line),
    });
    expect(result).toEqual({ exitCode: 3, stdout: 'one\r\ntwo\n\nthree', stderr: 'error\n' });
    expect(lines).toEqual(['one', 'two']);
  });

  it('is kept by its end, however much it prints', async () => {
    const lines: string[] = [];
    const { stdout } = await runCommand(shell("head -c 50000000 /dev/zero | tr '\\0' x; printf '\\nthe end\\n'"), {
      onStdoutLine: (line) => lines.push(line),
    });
    expect(stdout.length).toBeLessThanOrEqual(8 * 1024 ** 2);
    // A regular expression may have too little stack for that many.
    expect(stdout.replaceAll('x', '')).toBe('\nthe end\n');
    // Of a line without an end, too, only its end.
    expect(lines.map((line) => line.replaceAll('x', ''))).toEqual(['', 'the end']);
    expect(lines[0]?.length).toBeLessThan(1_000_000);
  });
});

describe('a program that reads', () => {
  const lines = async function* (count: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < count; at++) yield await Promise.resolve(Buffer.from(`${at}\n`));
  };

  it('gets all of it, and what it prints can be read by the next one', async () => {
    const between = new PassThrough();
    const [, { stdout }] = await Promise.all([
      runCommand(['sed', 's/7/seven/'], { input: lines(50_000), output: between }),
      runCommand(['grep', '-c', 'seven'], { input: between }),
    ]);
    expect(stdout).toBe('17195\n');
  });

  it('may end before it has read all of it, and so ends who writes for it', async () => {
    const between = new PassThrough();
    const [writer, reader] = await Promise.all([
      runCommand(['yes'], { output: between }),
      runCommand(shell('head -c 4; exit 3'), { input: between }),
    ]);
    expect(reader).toMatchObject({ exitCode: 3, stdout: 'y\ny\n' });
    expect(writer.exitCode).not.toBe(0);
  });

  it('fails with what went wrong where its input comes from', async () => {
    const broken = async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('one\n'));
      throw new Error('the disk is gone');
    };
    await expect(runCommand(['cat'], { input: broken() })).rejects.toThrow('the disk is gone');
  });
});

it.each([
  ['a link', symlinkSync],
  ['a second name', linkSync],
  ['a pipe', (_: string, file: string) => execFileSync('mkfifo', [file])],
])('a program whose output goes to files writes nothing through %s in their place', async (what, lay) => {
  const files = filesOf(what);
  const other = path.join(temporary(), `other than ${what}`);
  writeFileSync(other, 'not ours');
  lay(other, files.stdout);
  const { stdout } = await runCommand(shell('echo printed'), { files });
  expect(stdout).toBe('printed\n');
  expect(readFileSync(files.stdout, 'utf8')).toBe('printed\n');
  expect(readFileSync(other, 'utf8')).toBe('not ours');
});

it('a program whose output goes through pipes leaves behind what it started, such as a server', async () => {
  const { stdout } = await runCommand(shell('sleep 311 >/dev/null 2>&1 & echo $!'));
  const started = Number(stdout);
  onTestFinished(() => void process.kill(started));
  // Longer than it would take to end it.
  await sleep(300);
  expect(processStart(started)).not.toBeNull();
});

describe('a program whose output goes to files', () => {
  it('writes there itself, and its lines are heard', async () => {
    const files = filesOf('program');
    const lines: string[] = [];
    const result = await runCommand(shell("echo out; printf 'pröblem\\nrest' >&2"), {
      files,
      onStdoutLine: (line) => lines.push(`out ${line}`),
      onStderrLine: (line) => lines.push(`err ${line}`),
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'out\n', stderr: 'pröblem\nrest' });
    expect([readFileSync(files.stdout, 'utf8'), readFileSync(files.stderr, 'utf8')]).toEqual([
      'out\n',
      'pröblem\nrest',
    ]);
    expect(lines.sort()).toEqual(['err pröblem', 'out out']);
  });

  it('may write both to one', async () => {
    const stdout = path.join(temporary(), 'both.log');
    const lines: string[] = [];
    await runCommand(shell('echo one; echo two >&2; echo three'), {
      files: { stdout, stderr: stdout },
      onStdoutLine: (line) => lines.push(line),
    });
    expect(readFileSync(stdout, 'utf8')).toBe('one\ntwo\nthree\n');
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('is heard by its last lines where it prints more than anybody reads', async () => {
    const lines: string[] = [];
    const files = filesOf('flood');
    const { stderr } = await runCommand(shell('seq 1 3000000 >&2; echo progress: 1 >&2'), {
      files,
      onStderrLine: (line) => lines.push(line),
    });
    expect(readFileSync(files.stderr).length).toBe(22_888_896 + 'progress: 1\n'.length);
    expect(lines.at(-1)).toBe('progress: 1');
    // A look reads a few hundred lines at most; there are ten a second.
    expect(lines.length).toBeLessThan(300_000);
    expect(stderr).toHaveLength(64 * 1024);
    expect(stderr).toMatch(/\n3000000\nprogress: 1\n$/);
  });

  it('loses nothing to programs that open its output again', async () => {
    const files = filesOf('shared');
    const script =
      'echo one; echo note >> /dev/stdout; echo two; echo three >&2; echo note >> /dev/stderr; echo four >&2';
    const { stdout, stderr, printedBytes, emptied } = await runCommand(shell(script), { files });
    expect([stdout, stderr]).toEqual(['one\nnote\ntwo\n', 'three\nnote\nfour\n']);
    expect(printedBytes).toBe(stdout.length + stderr.length);
    expect(emptied).toEqual({ stdout: 0, stderr: 0 });
  });

  it('is known to lose what it printed to a program that empties its output', async () => {
    const files = filesOf('emptied');
    const script = 'echo the first of them >&2; sleep 2; echo note > /dev/stderr; echo the last >&2; sleep 0.5';
    const { stderr, printedBytes, emptied } = await runCommand(shell(script), { files });
    expect(stderr).toBe('note\nthe last\n');
    expect(readFileSync(files.stderr, 'utf8')).toBe(stderr);
    expect(printedBytes).toBe('the first of them\n'.length + stderr.length);
    expect(emptied).toEqual({ stdout: 0, stderr: 1 });
  });

  it('is counted by what came, also where each part takes the place of the last one, as long as that', async () => {
    const script = 'for part in 1 2 3 4 5 6; do head -c 100000 /dev/zero > /dev/stdout; sleep 1; done';
    const { stdout, printedBytes, emptied } = await runCommand(shell(script), { files: filesOf('parts') });
    expect(stdout.length).toBeLessThanOrEqual(100_000);
    expect(printedBytes).toBeGreaterThanOrEqual(400_000);
    expect(emptied.stdout).toBeGreaterThanOrEqual(3);
  });

  it.each([0, 3])('takes along what it started, if it ends with %d', async (exitCode) => {
    const { stdout } = await runCommand(shell(`sleep 311 & echo $!; exit ${exitCode}`), { files: filesOf('left') });
    await expect.poll(() => processStart(Number(stdout))).toBeNull();
  });

  it('is timed by what it wrote, although we stood still', async () => {
    const { printedForSeconds } = await runCommand(shell('echo out'), {
      files: filesOf('timed'),
      // As if somebody had stopped us.
      onStart: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000),
    });
    expect(printedForSeconds).toBeLessThan(2.5);
  });
});
