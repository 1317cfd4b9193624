import { describe, expect, it } from 'vitest';
import {
  familyOf,
  parseProcessStatus,
  type ProcessTime,
  readWhole,
  takenBetween,
} from '../../../runner/collect/driver/proc.ts';

const times = (all: Record<number, [parent: number, seconds: number, startedAt?: number]>): Map<number, ProcessTime> =>
  new Map(
    Object.entries(all).map(([pid, [parent, total, startedAt = 1]]) => [
      Number(pid),
      { parent, name: `p${pid}`, startedAt, user: total / 2, total },
    ]),
  );
const taken = (before: Map<number, ProcessTime>, after: Map<number, ProcessTime>): Record<string, number> =>
  Object.fromEntries(takenBetween(before, after, 'total'));

describe('the line of a process', () => {
  it('gives its time with that of its ended children, whatever its name holds', () => {
    const text = '42 (a) R (b) S 7 42 42 0 -1 4194304 1 2 3 4 150 50 300 100 20 0 3 0 9876 1000 200 0\n';
    expect(parseProcessStatus(text)).toEqual({
      parent: 7,
      name: 'a) R (b',
      startedAt: 9876,
      user: 4.5,
      total: 6,
      isOfKernel: false,
    });
  });
});

it('a thread of the kernel is told by its flags', () => {
  const text = '64 (kworker/1:1H-kblockd) I 2 0 0 0 -1 69238880 0 0 0 0 0 57 0 0 0 -20 1 0 49 0 0 0\n';
  expect(parseProcessStatus(text)).toMatchObject({ total: 0.57, user: 0, isOfKernel: true });
});

describe('a look at all processes', () => {
  const status = (pid: number, parent: number, ticks: number, childTicks = 0): string =>
    `${pid} (postgres) S ${parent} 7 7 0 -1 4194304 1 2 3 4 ${ticks} 0 ${childTicks} 0 20 0 1 0 9876 1000 200 0\n`;

  it('does not lose a session that its server waits for just when it is read', () => {
    let isGone = false;
    const found = readWhole(
      () => (isGone ? [7] : [7, 8]),
      (pid) => {
        if (pid === 7) {
          const server = status(7, 1, 100, isGone ? 900 : 0);
          isGone = true;
          return server;
        }
        throw new Error('ENOENT');
      },
    );
    expect([...found.values()].reduce((sum, { total }) => sum + total, 0)).toBe(10);
  });

  it('does not count a session twice that its server waits for after it was read', () => {
    let isGone = false;
    const found = readWhole(
      () => (isGone ? [9] : [8, 9]),
      (pid) => {
        if (pid === 9) return status(9, 1, 100, isGone ? 900 : 0);
        isGone = true;
        return status(8, 9, 900);
      },
    );
    expect([...found.values()].reduce((sum, { total }) => sum + total, 0)).toBe(10);
  });

  it('ends where programs come and go all the time', () => {
    let next = 10;
    const found = readWhole(
      () => [7, (next += 1)],
      (pid) => status(pid, 1, 100),
    );
    expect(found.get(7)).toMatchObject({ name: 'postgres', total: 1 });
  });
});

describe('what processes took between two looks', () => {
  it('is their growth, and all of what began in between', () => {
    expect(taken(times({ 1: [0, 10], 2: [1, 5] }), times({ 1: [0, 11], 2: [1, 8], 3: [1, 2] }))).toEqual({
      1: 1,
      2: 3,
      3: 2,
    });
  });

  it('leaves out what a child that ended had taken before: its parent has it by now', () => {
    // The child had 100 s, took one more, and ended: its parent waited for it.
    expect(taken(times({ 1: [0, 10], 2: [1, 100] }), times({ 1: [0, 111] }))).toEqual({ 1: 1 });
  });

  it('leaves it out also where the parent ended with it', () => {
    const before = times({ 1: [0, 10], 2: [1, 5], 3: [2, 100] });
    expect(taken(before, times({ 1: [0, 117] }))).toEqual({ 1: 2 });
  });

  it('is never negative, when nobody waited for a child', () => {
    expect(taken(times({ 1: [0, 10], 2: [1, 100] }), times({ 1: [0, 10] }))).toEqual({ 1: 0 });
  });

  it('does not mistake a new process for the earlier one with its id', () => {
    expect(taken(times({ 1: [0, 10], 2: [1, 100, 5] }), times({ 1: [0, 110], 2: [1, 3, 9] }))).toEqual({ 1: 0, 2: 3 });
  });
});

describe('the family of some processes', () => {
  it('is what they have started, and what that has', () => {
    const all = times({ 1: [0, 0], 2: [1, 0], 3: [2, 0], 4: [3, 0], 5: [1, 0], 6: [5, 0] });
    expect([...familyOf([3, 6], all)].sort()).toEqual([3, 4, 6]);
  });
});
