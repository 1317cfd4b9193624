import { describe, expect, it } from 'vitest';
import { findingsOf, type NeighboursSnapshot, processorsOf } from '../../../runner/collect/driver/neighbours.ts';

const ours = 10;
const snapshot = (
  seconds: number,
  user: number,
  processes: Record<number, [parent: number, name: string, total: number]>,
  system = 0,
  threads: Record<string, [process: number, ran: number, waited: number]> = {},
): NeighboursSnapshot => ({
  seconds,
  user,
  system,
  processors: 2,
  areSome: false,
  quota: null,
  processes: new Map(
    Object.entries(processes).map(([pid, [parent, name, total]]) => [
      Number(pid),
      { parent, name, startedAt: 1, user: total, total },
    ]),
  ),
  threads: {
    seconds,
    times: new Map(Object.entries(threads).map(([name, [process, ran, waited]]) => [name, { process, ran, waited }])),
  },
});

describe('programs beside a run', () => {
  it('are told by name, without the run and all that it has started', () => {
    const before = snapshot(0, 0, {
      10: [1, 'node', 0],
      11: [10, 'postgres', 0],
      20: [1, 'yes', 3],
      21: [1, 'sshd', 0],
    });
    const after = snapshot(10, 13, {
      10: [1, 'node', 1],
      11: [10, 'postgres', 7],
      20: [1, 'yes', 8],
      21: [1, 'sshd', 0],
    });
    expect(findingsOf(before, after, [ours])).toEqual({
      measures: { 'driver.others': 0.25, 'driver.own': 0.4, 'driver.processors': 2 },
      facts: { neighbours: [{ name: 'yes', processors: 0.5 }] },
    });
  });

  it('are counted on the processors that the run may use, if these are only some', () => {
    // A second of `yes` ran there at most: the run took the rest.
    const before = { ...snapshot(0, 0, { 10: [1, 'node', 0], 20: [1, 'yes', 0] }), areSome: true };
    const processes = { 10: [1, 'node', 8], 20: [1, 'yes', 50] } as const;
    const after = { ...snapshot(10, 9, processes as never), areSome: true };
    expect(findingsOf(before, after, [ours]).measures).toMatchObject({ 'driver.others': 0.05, 'driver.own': 0.4 });
    const hidden = { ...snapshot(10, 14, { 10: [1, 'node', 8] }), areSome: true };
    expect(findingsOf(before, hidden, [ours]).measures).toMatchObject({ 'driver.others': 0.3 });
  });

  it('take nothing from a run with a quota while other processors are idle', () => {
    const quota = { processors: 0.5, usedSeconds: 0 };
    const before = { ...snapshot(0, 0, { 10: [1, 'node', 0], 20: [1, 'yes', 0] }), quota };
    const during = (others: number, usedSeconds: number) =>
      findingsOf(
        before,
        {
          ...snapshot(10, 4 + others, { 10: [1, 'node', 4], 20: [1, 'yes', others] }),
          quota: { ...quota, usedSeconds },
        },
        [ours],
      ).measures;
    const own = { 'driver.own': 0.8, 'driver.processors': 0.5 };
    expect(during(15, 4)).toEqual({ 'driver.others': 0, ...own });
    expect(during(16, 4)).toEqual({ 'driver.others': expect.closeTo(0.2, 9) as number, ...own });
    // In the same group, it shares the quota.
    expect(during(1, 5)).toEqual({ 'driver.others': 0.2, ...own });
  });

  it('are noticed also where their processes cannot be seen', () => {
    const before = snapshot(0, 0, { 10: [1, 'node', 0] });
    const found = findingsOf(before, snapshot(10, 12, { 10: [1, 'node', 2] }), [ours]);
    expect(found.measures).toMatchObject({ 'driver.others': 0.5 });
    expect(found.facts).toMatchObject({ neighbours: [{ processors: 1 }] });
  });

  it('are weighed with their time in the kernel where their processes cannot be seen', () => {
    const before = snapshot(0, 0, { 10: [1, 'node', 0] });
    const found = findingsOf(before, snapshot(10, 4, { 10: [1, 'node', 2] }, 6), [ours]);
    expect(found.measures).toMatchObject({ 'driver.others': 0.4, 'driver.own': 0.1 });
  });

  it('have threads that could run throughout, whether they did or had to wait', () => {
    const processes = { 10: [1, 'node', 0], 20: [1, 'yes', 0], 21: [1, 'cc1', 0] } as const;
    const look = (seconds: number, threads: Parameters<typeof snapshot>[4]) =>
      snapshot(
        seconds,
        0,
        Object.fromEntries(Object.entries(processes).map(([pid, of]) => [pid, [...of]])),
        0,
        threads,
      );
    const found = findingsOf(
      look(0, { 'yes-1': [20, 3, 1], 'cc1-1': [21, 0, 0], 'cc1-2': [21, 0, 0], 'node-1': [10, 0, 0] }),
      look(10, {
        'yes-1': [20, 7, 6.9],
        'cc1-1': [21, 9.6, 0],
        'cc1-2': [21, 9.7, 0],
        'node-1': [10, 10, 0],
        'began later': [21, 10, 0],
      }),
      [ours],
    );
    expect(found.facts?.['alwaysRunnable']).toEqual({ 'yes-1': 0.2, 'cc1-2': 0.485 });
  });

  it('are none where the kernel’s two ways to count differ a little', () => {
    const before = snapshot(0, 0, { 10: [1, 'node', 0] });
    const found = findingsOf(before, snapshot(10, 2.5, { 10: [1, 'node', 2] }), [ours]);
    expect(found).toEqual({ measures: { 'driver.others': 0, 'driver.own': 0.1, 'driver.processors': 2 }, facts: {} });
  });
});

describe('processors of the servers', () => {
  it('are told apart from those of sessions that came and went, which their server inherits', () => {
    const before = snapshot(0, 0, {
      10: [1, 'node', 0],
      11: [10, 'postgres', 1],
      12: [11, 'postgres', 1],
      13: [10, 'qemu-storage-d', 0],
    });
    const after = snapshot(10, 20, {
      10: [1, 'node', 1],
      11: [10, 'postgres', 7],
      12: [11, 'postgres', 3],
      13: [10, 'qemu-storage-d', 4],
      14: [11, 'postgres', 1],
    });
    // The server has inherited 6 s, a session is still there with 1 s; its checkpointer took 2 s, and its volume 4 s.
    expect(processorsOf(before, after, { servers: [11, 13], seconds: 5 })).toEqual({
      'server.processors': 2.6,
      'server.sessions': 1.4,
    });
  });

  it('are unknown where the run has started none', () => {
    const look = snapshot(0, 0, { 10: [1, 'node', 0] });
    expect(processorsOf(look, { ...look, seconds: 1 }, { servers: [], seconds: 1 })).toEqual({});
  });
});
