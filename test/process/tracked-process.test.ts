import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { identityOf, trackedProcess, trackedProcessesIn, spawnTracked } from '../../runner/process/tracked-process.ts';
import { endGroup } from '../../runner/process/run-command.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

let folder: string;
let note: string;
beforeEach(() => {
  folder = temporaryFolder();
  note = path.join(folder, 'one.process');
});

function start(...command: string[]) {
  return spawnTracked(command, {
    note,
    log: path.join(folder, 'output'),
    cwd: '/',
    env: { PATH: process.env['PATH'] },
  });
}

describe('a program that is noted', () => {
  test('is found while it runs, and no more when it has ended', async () => {
    const child = start('sleep', '60');
    expect(trackedProcessesIn(folder)).toEqual([identityOf(child.pid ?? 0)]);
    const ended = once(child, 'exit');
    endGroup(child.pid, 'SIGKILL');
    await ended;
    expect(trackedProcessesIn(folder)).toEqual([]);
  });

  test('gets its arguments as they are, prints to its file, and has no input', async () => {
    const args = ['a "b", c', "d'e", '$(id)', ''];
    await once(start('sh', '-c', 'printf "<%s>" "$@"; cat', 'sh', ...args), 'exit');
    expect(readFileSync(path.join(folder, 'output'), 'utf8')).toBe(args.map((arg) => `<${arg}>`).join(''));
  });

  test('is not begun where it cannot be noted', async () => {
    note = path.join(folder, 'nowhere/one.process');
    const began = path.join(folder, 'began');
    expect(() => start('touch', began)).toThrow('ENOENT');
    await sleep(500);
    expect(existsSync(began)).toBe(false);
  });
});

test('a note of another process with the same id names none, nor does one that is not whole', () => {
  const other = spawn('sleep', ['60']);
  const { pid, start: began, namespace } = identityOf(other.pid ?? 0);
  writeFileSync(note, JSON.stringify({ pid, start: `${began?.split(':')[0] ?? ''}:1`, namespace }));
  expect(trackedProcess(note)).toBeNull();
  writeFileSync(note, JSON.stringify({ pid, start: began, namespace }).slice(0, 20));
  expect(trackedProcess(note)).toBeNull();
  writeFileSync(note, JSON.stringify({ pid, start: began, namespace }));
  expect(trackedProcess(note)).toEqual({ pid, start: began, namespace });
  other.kill('SIGKILL');
});

test('a folder that is gone has no notes', () => {
  expect(trackedProcessesIn(path.join(folder, 'gone'))).toEqual([]);
});
