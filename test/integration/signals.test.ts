import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

const storm = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let tiny: TinyRun;
beforeEach(() => {
  tiny = tinyRun();
});

/** Sends signals without a pause until the command has ended. */
async function storms({ process: child, ended }: ReturnType<TinyRun['run']>): Promise<{ exitCode: number | null }> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  for (let sent = 0; !over.signal.aborted; sent += 1) {
    child.kill(storm[sent % storm.length]);
    if (sent % 20 === 0) await sleep(1);
  }
  return ended;
}

test('a storm of signals ends a run as its first one, and leaves nothing', async () => {
  const command = tiny.loadRun('--profile', 'long-trials');
  await tiny.underLoad();
  expect((await storms(command)).exitCode).toBe(130);
  tiny.expectNothingLeft();
});

test('a storm of signals ends a command at work with the exit code of the first, every time', async () => {
  const programs = path.join(tiny.folder, 'programs');
  mkdirSync(programs);
  // It is at work for as long as this does not answer.
  writeFileSync(path.join(programs, 'pg_config'), '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 });
  const environment = { PATH: `${programs}:${process.env['PATH'] ?? ''}` };
  const codes: (number | null)[] = [];
  for (let count = 0; count < 4; count += 1) {
    const command = tiny.runAs({ environment }, 'doctor');
    await waitFor(() => spawnSync('pgrep', ['-P', String(command.process.pid)], { timeout: 5000 }).status === 0);
    codes.push((await storms(command)).exitCode);
  }
  expect(codes).toEqual(new Array(4).fill(130));
});

async function waitFor(isSo: () => boolean): Promise<void> {
  for (let waited = 0; waited < 1200 && !isSo(); waited += 1) await sleep(50);
}
