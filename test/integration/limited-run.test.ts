import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, vi } from 'vitest';
import { processesBelow } from '../helpers/processes/command-line.ts';
import { oneBlock, programsBelow, TinyRun, testWithTiny } from '../helpers/processes/tiny-run.ts';

const onLimitedVolumes = ['--local', '--volumes', 'limited'];
const test = testWithTiny(oneBlock);

const areMade = process.platform === 'linux' && process.getuid?.() === 0;

/** Side by side: they are about how a run ends, and wait for most of their time. */
describe.skipIf(!areMade).concurrent('a run on limited volumes', () => {
  test('records how each volume kept to its limit, and leaves nothing', async ({ tiny, expect }) => {
    const { exitCode, stderr } = await tiny.run('load-run', 'tiny', ...onLimitedVolumes).ended;
    expect(stderr.replace(/\s+/g, ' ')).toContain('what a log volume changes here, and why, may differ on RDS');
    expect(exitCode).toBe(0);
    const { place } = tiny.result();
    expect(place.volumes.map(({ volume, requestedIops }) => [volume, requestedIops])).toEqual([
      ['one-data', 400],
      ['two-data', 400],
      ['two-log', 200],
    ]);
    tiny.expectNothingLeft();
  });

  test.for(['qemu-storage-daemon', 'nbdfuse', 'postgres'])(
    'whose %s is killed in mid-trial says so, ends with 1, keeps what was measured and leaves nothing',
    async (program, { tiny, expect }) => {
      const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
      await command.shown('trial 1 of 2');
      // This happens in the warm-up or the measurement of the next trial.
      await tiny.underLoad();
      const processes = programsBelow(tiny.temporary, program);
      expect(processes.length).toBeGreaterThan(0);
      for (const pid of processes) process.kill(pid, 'SIGKILL');
      const { exitCode, stderr } = await command.ended;
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/SIGKILL|broke/);
      const [first, ...others] = tiny.result().trials;
      expect(first).toMatchObject({ state: 'finished' });
      expect(others.filter(({ state }) => state === 'finished')).toEqual([]);
      expect(tiny.result().complete).toBe(false);
      tiny.expectNothingLeft();
    },
  );

  test.for(['nbdfuse', 'postgres'])(
    'whose %s hangs ends after Ctrl-C, and leaves nothing, although a mount namespace has copies of its volumes',
    async (program, { tiny, expect, onTestFinished }) => {
      const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
      await command.shown('trial 1 of 2');
      onTestFinished(copyMounts());
      await tiny.underLoad();
      for (const pid of programsBelow(tiny.temporary, program)) process.kill(pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      command.process.kill('SIGINT');
      expect((await command.ended).exitCode).toBe(130);
      tiny.expectNothingLeft();
    },
  );

  test('whose qemu-storage-daemon stood still for 4 s of a trial does not count that trial', async ({
    tiny,
    expect,
  }) => {
    const workload = { ...oneBlock.workload, durationSeconds: 10 };
    tiny.define({ ...oneBlock, workload, protocol: { ...oneBlock.protocol, warmUpSeconds: 0 } });
    const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
    const trials = path.join(tiny.folder, 'results/tiny/latest/trials');
    const inTrial = (): boolean => readdirSync(trials, { recursive: true }).join().includes('pgbench_log.');
    await vi.waitFor(() => expect(inTrial()).toBe(true), { timeout: 60_000 });
    await sleep(2000);
    const daemons = programsBelow(tiny.temporary, 'qemu-storage-daemon');
    for (const pid of daemons) process.kill(pid, 'SIGSTOP');
    await sleep(4000);
    for (const pid of daemons) process.kill(pid, 'SIGCONT');
    await command.ended;
    expect(tiny.result().trials[0]?.checks).toContainEqual({
      id: 'silent-seconds',
      name: 'silent seconds',
      state: 'fail',
      finding: expect.stringMatching(
        /^no transaction ended for [3-6]\.\d s of \d+ s: the server or its storage/,
      ) as string,
    });
  });

  test('that is killed itself leaves volumes, which the next start removes, although a mount namespace has copies', async ({
    tiny,
    expect,
    onTestFinished,
  }) => {
    const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
    await command.shown('trial 1 of 2');
    onTestFinished(copyMounts());
    command.process.kill('SIGKILL');
    await command.ended;
    expect(processesBelow(tiny.temporary).join('\n')).toContain('qemu-storage-daemon');
    const { stderr, exitCode } = await tiny.run('load-run', 'tiny', ...onLimitedVolumes, '--resume').ended;
    expect(stderr).toContain('Removed what a killed run left');
    expect(exitCode).toBe(0);
    tiny.expectNothingLeft();
  });
});

test.skipIf(!areMade)(
  'what a failed test leaves of a run, with daemons that hang, goes with its folder',
  async ({ expect }) => {
    const tiny = new TinyRun();
    tiny.define(oneBlock);
    const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
    await command.shown('trial 1 of 2');
    for (const pid of programsBelow(tiny.temporary, 'nbdfuse')) process.kill(pid, 'SIGSTOP');
    tiny.remove();
    expect(processesBelow(tiny.temporary)).toEqual([]);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(`${tiny.temporary}/`);
    expect(existsSync(tiny.folder)).toBe(false);
  },
);

/** Begins a mount namespace, with a copy of every mount of this moment, and returns what ends it. */
function copyMounts(): () => void {
  const holder = spawn('unshare', ['--mount', 'sleep', '300'], { cwd: '/', stdio: 'ignore' });
  return () => void holder.kill('SIGKILL');
}
