import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Result } from '../../runner/results/result.ts';
import { commandLine, processesBelow } from '../helpers/command-line.ts';

/** Two small variants; trials of two seconds. */
const experiment = {
  name: 'tiny',
  question: 'Does it run?',
  common: { storage: { type: 'local' }, engine: { parameters: { autovacuum: false, max_wal_size: '64MB' } } },
  variants: { one: {}, two: { dedicatedLogVolume: true } },
  baseline: 'one',
  workload: { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 2 },
  protocol: { blocks: 2, warmUpSeconds: 1 },
  profiles: { local: {}, long: { workload: { durationSeconds: 30, scale: 20 }, protocol: { warmUpSeconds: 30 } } },
};

const onFolders = ['--local', '--volumes', 'folders'];
let cwd: string;
let temporary: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'local-run-'));
  temporary = path.join(cwd, 'tmp');
  for (const folder of [path.join(cwd, 'experiments'), temporary]) mkdirSync(folder);
  chmodSync(cwd, 0o711);
  chmodSync(temporary, 0o1777);
  writeFileSync(path.join(cwd, 'experiments', 'tiny.yaml'), stringify(experiment));
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});

function run(...args: string[]) {
  return commandLine(args, { cwd, temporary });
}

function readResult(): Result {
  return JSON.parse(readFileSync(path.join(cwd, 'results/tiny/latest/result.json'), 'utf8')) as Result;
}

function expectNothingLeft(): void {
  expect(processesBelow(temporary)).toEqual([]);
  expect(readdirSync(temporary).filter((name) => name.startsWith('pgduet-'))).toEqual([]);
}

describe('load-run --local', () => {
  test('measures every trial, keeps its raw output, writes the reports, and leaves nothing else', async () => {
    const { exitCode, stdout, stderr } = await run('load-run', 'tiny', ...onFolders).ended;
    expect(stderr).toContain('results/tiny/latest/report.html');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Does it run?');

    const result = readResult();
    expect(result).toMatchObject({ kind: 'pgduet-result', schemaVersion: 1, complete: true });
    expect(result.trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished', 'finished']);
    for (const trial of result.trials) {
      if (trial.state !== 'finished') throw new Error(trial.error);
      expect(trial.run).toMatchObject({ complete: true, clients: 2, durationSeconds: 2 });
      expect(trial.latency?.transactions).toBe(trial.run.transactions);
      expect(trial.server?.database?.commits).toBeGreaterThanOrEqual(trial.run.transactions ?? Infinity);
      expect(trial.server?.wal?.bytes).toBeGreaterThan(0);
      expect(trial.server?.wal?.syncSeconds).toBeGreaterThan(0);
      expect(readdirSync(path.join(cwd, 'results/tiny/latest/trials', trial.id)).sort()).toEqual([
        'pgbench.stderr.log',
        'pgbench.stdout.log',
        'transactions',
        'trial.json',
      ]);
    }
    expect(result.variants[0]?.settings).toMatchObject({ autovacuum: 'off', max_wal_size: '64 (MB)', fsync: 'on' });
    expectNothingLeft();
  });

  test('with --json, stdout is the result and nothing else', async () => {
    const { stdout } = await run('load-run', 'tiny', ...onFolders, '--json').ended;
    expect((JSON.parse(stdout) as Result).comparisons.length).toBeGreaterThan(0);
  });

  test('--dry-run stops after the plan', async () => {
    const { exitCode, stdout } = await run('load-run', 'tiny', '--local', '--dry-run').ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('block 2, position 2');
    expect(readdirSync(cwd)).not.toContain('results');
  });

  test('a parameter that the server refuses is named, before anything is loaded', async () => {
    writeFileSync(
      path.join(cwd, 'experiments', 'tiny.yaml'),
      stringify({ ...experiment, variants: { one: {}, two: { engine: { parameters: { max_wal_siz: 1 } } } } }),
    );
    const { exitCode, stderr } = await run('load-run', 'tiny', ...onFolders).ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('variant two');
    expect(stderr).toContain('unrecognized configuration parameter "max_wal_siz"');
    expect(readdirSync(cwd)).not.toContain('results');
    expectNothingLeft();
  });

  test.skipIf(process.getuid?.() !== 0)('works for an ordinary user too', async () => {
    chmodSync(cwd, 0o777);
    const nobody = { uid: 65534, gid: 65534 };
    const { exitCode, stderr } = await commandLine(['load-run', 'tiny', '--local'], { cwd, temporary, ...nobody })
      .ended;
    expect(stderr).toContain('cannot show what a log volume does');
    expect(exitCode).toBe(0);
    expectNothingLeft();
  });
});

describe('an interruption', () => {
  test.each([
    ['while loading', 'load ...', 'SIGINT'],
    ['in a warm-up', 'loaded two', 'SIGTERM'],
  ] as const)('%s ends within seconds, with 130, and leaves nothing', async (_, moment, signal) => {
    const command = run('load-run', 'tiny', ...onFolders, '--profile', 'long');
    await command.shown(moment);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const start = Date.now();
    command.process.kill(signal);
    const { exitCode, stderr } = await command.ended;
    expect(stderr).toContain(`interrupted by ${signal}`);
    expect(exitCode).toBe(130);
    expect(Date.now() - start).toBeLessThan(8000);
    expectNothingLeft();
  });

  test('in a trial keeps the trials that had finished, and --resume measures the others only', async () => {
    const command = run('load-run', 'tiny', ...onFolders);
    await command.shown('trial  2 of 4');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    command.process.kill('SIGINT');
    expect((await command.ended).exitCode).toBe(130);
    const interrupted = readResult();
    expect(interrupted.complete).toBe(false);
    expect(interrupted.trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'interrupted']);
    expectNothingLeft();

    const { exitCode, stderr } = await run('load-run', 'tiny', ...onFolders, '--resume').ended;
    expect(stderr).toContain('trial 2 of 4  ');
    expect(stderr).toContain('measured before');
    expect(exitCode).toBe(0);
    const resumed = readResult();
    expect(resumed.complete).toBe(true);
    expect(resumed.trials.slice(0, 2)).toEqual(interrupted.trials.slice(0, 2));
    expect(resumed.warnings.join()).toContain('resumed');
  });

  test('what kill -9 left is found and removed at the next start', async () => {
    const command = run('load-run', 'tiny', ...onFolders);
    await command.shown('loaded two');
    command.process.kill('SIGKILL');
    await command.ended;
    expect(processesBelow(temporary)).not.toEqual([]);
    const { exitCode, stderr } = await run('load-run', 'tiny', ...onFolders).ended;
    expect(stderr).toContain('Removed what a killed run left');
    expect(exitCode).toBe(0);
    expectNothingLeft();
  });
});

test('a server that dies in mid-trial fails the trial with its own words, and ends the run with 1', async () => {
  const command = run('load-run', 'tiny', ...onFolders, '--profile', 'long');
  await command.shown('loaded two');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const servers = readdirSync('/proc').filter((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return args.includes('bin/postgres') && args.includes(temporary);
    } catch {
      return false;
    }
  });
  expect(servers).toHaveLength(2);
  for (const pid of servers) process.kill(Number(pid), 'SIGKILL');
  const { exitCode } = await command.ended;
  expect(exitCode).toBe(1);
  const [trial] = readResult().trials;
  expect(trial).toMatchObject({
    state: 'failed',
    stage: 'warm-up',
    error: expect.stringContaining('ended (SIGKILL)') as string,
  });
  expectNothingLeft();
});

test('load leaves servers for run, run measures them, clean removes them', async () => {
  const loaded = await run('load', 'tiny', ...onFolders).ended;
  expect(loaded.exitCode).toBe(0);
  expect(loaded.stderr).toContain('Connect with:');
  expect((await run('run', 'tiny', ...onFolders).ended).exitCode).toBe(0);
  expect(readResult().complete).toBe(true);
  expect((await run('clean').ended).stdout).toContain('Removed');
  expectNothingLeft();
  const { exitCode, stderr } = await run('run', 'tiny', '--local').ended;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('npx pgduet load tiny --local');
});
