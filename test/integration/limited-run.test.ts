import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { processesBelow } from '../helpers/processes/command-line.ts';
import { oneBlock, programsBelow, TinyRun, testWithTiny } from '../helpers/processes/tiny-run.ts';

const onLimitedVolumes = ['--local', '--volumes', 'limited'];
const test = testWithTiny(oneBlock);

const areMade = process.platform === 'linux' && process.getuid?.() === 0;

/** Side by side: they are about how a run ends, and wait for most of their time. */
describe.skipIf(!areMade).concurrent('a run on limited volumes', () => {
  // Quotes and a comma in TMPDIR are no obstacle.
  test('records how each volume kept to its limit, and leaves nothing', async ({ expect, onTestFinished }) => {
    const tiny = new TinyRun('a"b",c');
    onTestFinished(() => tiny.remove());
    tiny.define(oneBlock);
    const { exitCode, stderr } = await tiny.run('load-run', 'tiny', ...onLimitedVolumes).ended;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const { place } = tiny.result();
    expect(place.caveats.join()).toContain('on RDS, the effect of a log volume may differ');
    expect(place.volumes.map(({ volume, requestedIops }) => [volume, requestedIops])).toEqual([
      ['one-data', 400],
      ['two-data', 400],
      ['two-log', 200],
    ]);
    tiny.expectNothingLeft();
  });

  test('whose nbdfuse is killed in mid-trial says so, ends with 1, keeps what was measured and leaves nothing', async ({
    tiny,
    expect,
  }) => {
    const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
    await command.shown('trial 1 of 2');
    // This happens in the warm-up or the measurement of the next trial.
    await tiny.underLoad();
    const processes = programsBelow(tiny.temporary, 'nbdfuse');
    expect(processes.length).toBeGreaterThan(0);
    for (const pid of processes) process.kill(pid, 'SIGKILL');
    const { exitCode, stderr } = await command.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/SIGKILL|broke/);
    expect(tiny.result().complete).toBe(false);
    expect(tiny.result().trials.map(({ state }) => state === 'finished')).toEqual([true, false]);
    tiny.expectNothingLeft();
  });

  test('whose daemons and servers hang ends after Ctrl-C, and leaves nothing, although a mount namespace has copies of its volumes', async ({
    tiny,
    expect,
    onTestFinished,
  }) => {
    const command = tiny.run('load-run', 'tiny', ...onLimitedVolumes);
    await command.shown('trial 1 of 2');
    onTestFinished(copyMounts());
    await tiny.underLoad();
    for (const program of ['nbdfuse', 'postgres']) {
      for (const pid of programsBelow(tiny.temporary, program)) process.kill(pid, 'SIGSTOP');
    }
    await sleep(1000);
    command.process.kill('SIGINT');
    expect((await command.ended).exitCode).toBe(130);
    tiny.expectNothingLeft();
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
    expect(stderr).toContain('Cleaned up after a killed run');
    expect(exitCode).toBe(0);
    tiny.expectNothingLeft();
  });
});

/** Begins a mount namespace, with a copy of every mount of this moment, and returns what ends it. */
function copyMounts(): () => void {
  const holder = spawn('unshare', ['--mount', 'sleep', '300'], { cwd: '/', stdio: 'ignore' });
  return () => void holder.kill('SIGKILL');
}
