import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { expect, it } from 'vitest';
import { readProcessTimes } from '../../../runner/collect/driver/proc.ts';
import { readThreadTimes } from '../../../runner/collect/driver/threads.ts';

it.runIf(process.platform === 'linux')(
  'a thread with another priority, or on other processors, is another one to its neighbours',
  () => {
    const child = spawn('sleep', ['60']);
    try {
      const names = () =>
        [...readThreadTimes(readProcessTimes()).times].flatMap(([name, { process: pid }]) =>
          pid === child.pid ? [name] : [],
        );
      const first = names();
      expect(first).toHaveLength(1);
      expect(names()).toEqual(first);
      setPriority(child.pid ?? NaN, 5);
      const second = names();
      expect(second).not.toEqual(first);
      expect(spawnSync('taskset', ['-p', '1', String(child.pid)]).status).toBe(0);
      expect(names()).not.toEqual(second);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

const folder = `/sys/fs/cgroup/cpu/pgduet-test-${process.pid}`;

// Found by attack: loops that were always there got another weight in the trials of one side.
it.runIf(mayMake(folder))('a thread of a control group with another weight is another one, too', () => {
  const child = spawn('sleep', ['60']);
  try {
    const names = () =>
      [...readThreadTimes(readProcessTimes()).times].flatMap(([name, { process: pid }]) =>
        pid === child.pid ? [name] : [],
      );
    writeFileSync(`${folder}/cgroup.procs`, String(child.pid));
    const first = names();
    expect(first).toHaveLength(1);
    expect(names()).toEqual(first);
    writeFileSync(`${folder}/cpu.shares`, '20000');
    expect(names()).not.toEqual(first);
  } finally {
    writeFileSync('/sys/fs/cgroup/cpu/cgroup.procs', String(child.pid));
    rmdirSync(folder);
    child.kill('SIGKILL');
  }
});

/** Version 1 of control groups, as root. */
function mayMake(group: string): boolean {
  try {
    mkdirSync(group);
    return true;
  } catch {
    return false;
  }
}
