import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { project } from '../../lib/build-options.ts';
import type { Result } from '../../runner/contract/result.ts';
import { folderSeries } from '../../runner/storage/series.ts';
import { launcher, processesBelow } from '../helpers/processes/command-line.ts';
import { oneBlock, onFolders, programsBelow, tinyExperiment } from '../helpers/processes/tiny-run.ts';
import { tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

let tiny: TinyRun;
beforeEach(() => {
  tiny = tinyRun();
});

describe('load-run --local', () => {
  test('measures every trial, keeps its raw output, writes the reports, and leaves nothing else', async () => {
    const { exitCode, stdout, stderr } = await tiny.loadRun().ended;
    expect(stderr).toContain('results/tiny/latest/report.html');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('No verdict: ');

    const run = path.join(tiny.folder, 'results/tiny/latest');
    const result = tiny.result();
    expect(result).toMatchObject({ kind: 'pgduet-result', schemaVersion: 2, complete: true });
    expect(result.trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished', 'finished']);
    for (const trial of result.trials) {
      const { measures } = trial;
      expect(trial.facts.identity).toMatchObject({ clients: 2, threads: 1, scale: 1 });
      expect(measures).toMatchObject({ runtime: 2, 'transactions.failed': 0 });
      expect(measures['database.commits']).toBeGreaterThanOrEqual(measures['transactions'] ?? Infinity);
      expect(measures['wal.bytes']).toBeGreaterThan(0);
      expect(measures['wal.syncTime']).toBeGreaterThan(0);
      const points = (await folderSeries(run).read(trial)).get('tps') ?? [];
      expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(measures['transactions']);
      expect(readdirSync(path.join(run, 'trials', trial.id)).sort()).toEqual([
        'pgbench.stderr.log',
        'pgbench.stdout.log',
        'series.parquet',
        'transactions',
        'trial.json',
      ]);
    }
    expect(result.variants[0]?.settings).toMatchObject({ autovacuum: 'off', max_wal_size: '64 (MB)', fsync: 'on' });
    const verified = await tiny.run('verify', 'results/tiny/latest', '--json').ended;
    expect(verified.stderr).toBe('');
    expect(verified.exitCode).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      agrees: true,
      findings: [],
      resultMadeAgain: true,
      trials: { checked: 4, readAgain: 4 },
      files: { sealed: true, open: [] },
    });
    tiny.expectNothingLeft();
  });

  test('--dry-run stops after the plan', async () => {
    const { exitCode, stdout } = await tiny.run('load-run', 'tiny', '--local', '--dry-run').ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('block 2, position 2');
    expect(readdirSync(tiny.folder)).not.toContain('results');
  });

  test('a parameter that only the server can refuse is named, before anything is loaded', async () => {
    tiny.define({
      ...tinyExperiment,
      variants: { one: {}, two: { engine: { parameters: { shared_preload_libraries: 'no-such' } } } },
    });
    const refusal = await tiny.refused();
    expect(refusal).toContain('variant two');
    expect(refusal).toContain('could not access file "no-such"');
    expect(readdirSync(tiny.folder)).not.toContain('results');
  });

  test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'without PostgreSQL says how to install it, and exits 2',
    () => {
      // As a user who may install nothing, and with a hidden folder of the servers.
      chownSync(tiny.folder, 65534, 65534);
      const hidden = 'mount -t tmpfs none /usr/lib/postgresql && exec setpriv --reuid 65534 --clear-groups "$@"';
      const command = [process.execPath, launcher, 'load-run', 'tiny', ...onFolders];
      const { status, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', hidden, 'sh', ...command], {
        cwd: tiny.folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], TMPDIR: tiny.temporary },
      });
      expect(stderr).toContain('PostgreSQL 14 to 19 with pgbench is needed and was not found.');
      expect(stderr).toMatch(/^Install it: sudo (apt-get|dnf) install postgresql/m);
      expect(status).toBe(2);
      tiny.expectNothingLeft();
    },
  );

  test.skipIf(process.getuid?.() !== 0)('works for an ordinary user too', async () => {
    tiny.define(oneBlock);
    chmodSync(tiny.folder, 0o1777);
    const nobody = { uid: 65534, gid: 65534 };
    const { exitCode, text } = await tiny.runAs(nobody, 'load-run', 'tiny', '--local').ended;
    expect(exitCode, text).toBe(0);
    expect(tiny.result().place.caveats.join()).toContain('cannot show what a log volume does');
    tiny.expectNothingLeft();
  });

  // A terminal sends Ctrl-C to the whole group: on a Node.js that does not read TypeScript itself, also to its compiler.
  test('from a checkout shows what it has when Ctrl-C reaches all of its processes, and how to go on', async () => {
    const checkout = { program: path.join(project, 'bin/pgduet.mjs'), inside: ['setsid'] };
    const command = tiny.runAs(checkout, 'load-run', 'tiny', ...onFolders);
    await command.shown('trial 2 of');
    process.kill(-(command.process.pid ?? NaN), 'SIGINT');
    const { exitCode, text } = await command.ended;
    expect(exitCode).toBe(130);
    expect(text).toMatch(/Report\s+\S+report\.html\s[^]*measure what is left:\s+npx .+ --resume/i);
    tiny.expectNothingLeft();
  });
});

describe('try', () => {
  test('is a run like any other: it keeps the file that it stands for, and can be repeated from there', async () => {
    const small = ['--scale', '1', '--clients', '1', '--seconds', '30'];
    const command = tiny.run('try', '--set', 'synchronous_commit=on,off', ...small, '--keep-file', 'mine.yaml', '-v');
    await command.shown('loaded synchronous-commit-off');
    await tiny.underLoad();
    command.process.kill('SIGINT');
    const { exitCode, text } = await command.ended;
    expect(exitCode).toBe(130);
    tiny.expectNothingLeft();
    const [, rest = ''] =
      /measure what is left:\s+npx --no-install pgduet (load-run \S+ --local --resume)/i.exec(text) ?? [];
    const resumed = tiny.run(...rest.split(' '), '-v');
    await resumed.shown('loaded synchronous-commit-off');
    resumed.process.kill('SIGINT');
    expect((await resumed.ended).exitCode).toBe(130);
    for (const kept of ['mine.yaml', 'results/mine/latest']) {
      const again = await tiny.run('load-run', kept, '--local', '--dry-run').ended;
      expect(again).toMatchObject({ exitCode: 0, stderr: '' });
      expect(again.stdout).toContain('synchronous-commit-on (baseline), synchronous-commit-off');
    }
  });

  test('gives a script whose transactions are long trials that fit, loads each server once, and shows one plan', async () => {
    writeFileSync(path.join(tiny.folder, 'report.sql'), 'SELECT pg_sleep(1.5);\n');
    const small = ['--scale', '1', '--clients', '2', '--script', 'report.sql', '--keep-file', 'mine.yaml', '-v'];
    const command = tiny.run('try', '--set', 'jit=on,off', ...small);
    await command.shown(
      'A transaction of report.sql takes 1.5 s: trials of 6 s, in which the average latency decides.',
    );
    await command.shown('loaded jit-off');
    await tiny.underLoad();
    command.process.kill('SIGINT');
    const { exitCode, stderr } = await command.ended;
    expect(exitCode).toBe(130);
    tiny.expectNothingLeft();
    for (const once of ['loaded jit-on', '  trial length  ']) {
      expect(stderr.split(once)).toHaveLength(2);
    }
    expect(readFileSync(path.join(tiny.folder, 'mine.yaml'), 'utf8')).toMatch(
      /durationSeconds: 6\n[^]*warmUpSeconds: 1\ndecision:\n {2}metric: latency.average/,
    );
    expect(readdirSync(path.join(tiny.folder, 'results/mine')).filter((name) => /^\d/.test(name))).toHaveLength(1);
  });
});

describe('an interruption', () => {
  test('while loading ends within seconds, with 130, and leaves nothing', async () => {
    const command = tiny.loadRun('--profile', 'long-load');
    await command.shown('load ...');
    await tiny.underLoad();
    const start = Date.now();
    command.process.kill('SIGINT');
    const { exitCode, stderr } = await command.ended;
    expect(stderr).toContain('interrupted by SIGINT');
    expect(exitCode).toBe(130);
    // The trials alone would take two minutes.
    expect(Date.now() - start).toBeLessThan(30_000);
    tiny.expectNothingLeft();
  });

  test('in a trial keeps the trials that had finished, and --resume measures the others only', async () => {
    const command = tiny.loadRun();
    await command.shown('trial 2 of 4');
    await tiny.underLoad();
    command.process.kill('SIGINT');
    const { exitCode: cutOff, stderr: advice } = await command.ended;
    expect(cutOff).toBe(130);
    expect(advice).toMatch(/measure what is left:\s+npx .+ --resume/i);
    const interrupted = tiny.result();
    expect(interrupted.complete).toBe(false);
    expect(interrupted.trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'interrupted']);
    tiny.expectNothingLeft();

    const { exitCode, stderr } = await tiny.loadRun('--resume').ended;
    expect(stderr).toContain('trial 2 of 4  ');
    expect(stderr).toContain('already measured');
    expect(exitCode).toBe(0);
    const resumed = tiny.result();
    expect(resumed.complete).toBe(true);
    expect(resumed.trials.slice(0, 2)).toEqual(interrupted.trials.slice(0, 2));
    expect(resumed.warnings.map(({ id }) => id)).toContain('resumed');
  });

  test('what kill -9 left is found and removed at the next start', async () => {
    tiny.define(oneBlock);
    const command = tiny.loadRun('-v');
    await command.shown('loaded two');
    command.process.kill('SIGKILL');
    await command.ended;
    expect(processesBelow(tiny.temporary)).not.toEqual([]);
    const { exitCode, stderr } = await tiny.loadRun().ended;
    expect(stderr).toContain('Cleaned up after a killed run');
    expect(exitCode).toBe(0);
    tiny.expectNothingLeft();
  });
});

test('a server that dies in mid-trial fails the trial with its own words, and ends the run with 1', async () => {
  const command = tiny.loadRun('--profile', 'long-trials', '-v');
  await command.shown('loaded two');
  await tiny.underLoad();
  const servers = programsBelow(tiny.temporary, 'postgres');
  expect(servers).toHaveLength(2);
  for (const pid of servers) process.kill(pid, 'SIGKILL');
  const { exitCode } = await command.ended;
  expect(exitCode).toBe(1);
  const [trial] = tiny.result().trials;
  expect(trial).toMatchObject({
    state: 'failed',
    failure: { stage: 'warm-up', error: expect.stringContaining('ended (SIGKILL)') as string },
  });
  tiny.expectNothingLeft();
});

test('load leaves servers for run, run measures them and with --json prints the result alone, clean removes them', async () => {
  tiny.define(oneBlock);
  const loaded = await tiny.run('load', 'tiny', ...onFolders).ended;
  expect(loaded.exitCode).toBe(0);
  expect(loaded.stderr).toContain('Connect with:');
  const measured = await tiny.run('run', 'tiny', ...onFolders, '--json').ended;
  expect(measured.exitCode).toBe(0);
  const printed = JSON.parse(measured.stdout) as Result;
  expect(printed.complete).toBe(true);
  expect(printed.comparisons.length).toBeGreaterThan(0);
  expect((await tiny.run('clean').ended).stdout).toContain('Removed');
  tiny.expectNothingLeft();
  const { exitCode, stderr } = await tiny.run('run', 'tiny', '--local').ended;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('npx --no-install pgduet load tiny --local');
});
