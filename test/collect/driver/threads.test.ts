import { spawn, spawnSync } from 'node:child_process';
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
