import { describe, expect, test } from 'vitest';
import { supportedMajors } from '../../runner/postgres/versions/known.ts';
import { type Counted, findingsOf } from '../../runner/collect/postgres/wait-events.ts';

const startedAt = new Date('2026-11-22T10:00:00.000Z');
const sampled = (...values: [seconds: number, value: Counted][]) => ({
  samples: values.map(([seconds, value]) => ({ at: startedAt.getTime() + seconds * 1000, value })),
  missed: 1,
  lookSeconds: 0.02,
  failure: null,
});
const trial = { startedAt, seconds: 2, serverMajor: 18, seesAll: true };

describe('wait events', () => {
  const { measures = {}, series = [] } = findingsOf(
    sampled(
      [-0.1, [{ event: 'Lock:tuple', sessions: 9 }]],
      [
        0,
        [
          { event: 'IO:WalSync', sessions: 1 },
          { event: 'LWLock:WALWrite', sessions: 5 },
          { event: null, sessions: 2 },
        ],
      ],
      [
        0.5,
        [
          { event: 'LWLock:WALWrite', sessions: 4 },
          { event: 'CPU', sessions: 2 },
        ],
      ],
      [1, [{ event: 'CPU', sessions: 4 }]],
    ),
    trial,
  );

  test('are shares of all active sessions, and sum up to one', () => {
    expect(measures['waits.LWLock:WALWrite']).toBe(9 / 16);
    expect(measures['waits.IO:WalSync']).toBe(1 / 16);
    expect(measures['waits.CPU']).toBe(6 / 16);
  });

  test('are average active sessions, too; those that wait for their client are told apart', () => {
    expect(measures['waits.active']).toBeCloseTo(16 / 3);
    expect(measures['waits.sessions.CPU']).toBe(2);
    expect(measures['waits.idle']).toBeCloseTo(2 / 3);
  });

  test('of the time before the load count for nothing', () => {
    expect(Object.keys(measures)).not.toContain('waits.Lock:tuple');
    expect(measures['waits.samples']).toBe(3);
  });

  test('of the time before the first transaction of the load and after its last one count for nothing', () => {
    const one: Counted = [{ event: 'CPU', sessions: 1 }];
    const connecting: Counted = [{ event: null, sessions: 8 }];
    const load = { from: startedAt.getTime() + 400, to: startedAt.getTime() + 1500 };
    const found = findingsOf(sampled([0, connecting], [0.5, one], [1, one], [1.5, []]), { ...trial, load });
    expect(found.measures).toMatchObject({ 'waits.samples': 2, 'waits.active': 1, 'waits.idle': 0 });
  });

  test('are those of leaders; parallel workers are counted beside them if they wait for no other process', () => {
    const found = findingsOf(
      sampled([
        0,
        [
          { event: 'IPC:ExecuteGather', sessions: 1 },
          { event: 'CPU', sessions: 2, isWorker: true },
          { event: 'IO:DataFileRead', sessions: 1, isWorker: true },
          { event: 'IPC:MessageQueueSend', sessions: 4, isWorker: true },
        ],
      ]),
      trial,
    );
    expect(found.measures).toMatchObject({
      'waits.active': 1,
      'waits.workers': 3,
      'waits.IPC:ExecuteGather': 1,
      'waits.sessions.IPC:ExecuteGather': 1,
    });
    expect(found.measures).not.toHaveProperty('waits.sessions.CPU');
  });

  test('are unknown where the server does not track what its sessions do', () => {
    const found = findingsOf(sampled([0, [{ event: null, sessions: 4, isHidden: true }]]), trial);
    expect(found.measures).toBeUndefined();
    expect(found.facts?.absent).toHaveProperty('wait-events');
  });

  test('are those of the load, and not of workers of autovacuum, which are counted beside them', () => {
    const found = findingsOf(
      sampled([
        0,
        [
          { event: 'CPU', sessions: 2 },
          { event: null, sessions: 1, isVacuum: true, isHidden: true },
        ],
      ]),
      trial,
    );
    expect(found.measures).toMatchObject({ 'waits.active': 2, 'waits.idle': 0, 'waits.vacuums': 1 });
  });

  test('have a series with every event in every second', () => {
    expect(series.filter(({ name }) => name === 'waits.sessions.LWLock:WALWrite')).toEqual([
      { second: 0, name: 'waits.sessions.LWLock:WALWrite', value: 4.5 },
      { second: 1, name: 'waits.sessions.LWLock:WALWrite', value: 0 },
    ]);
  });

  test('come with what the sampling cost', () => {
    expect(measures['waits.cost']).toBe(0.01);
    expect(measures['waits.missed']).toBe(1);
  });

  test('are not told of a part of the trial only', () => {
    const found = findingsOf({ ...sampled([0, [{ event: 'CPU', sessions: 1 }]]), failure: new Error('gone') }, trial);
    expect(found).toEqual({ warnings: ['Sampling of wait events stopped early: gone'] });
  });

  test('of a server newer than every known version are named if no version has them, with a warning', () => {
    const observed = sampled([
      0,
      [...['CPU', 'IO:WALSync', 'Buffer:BufferExclusive', 'IPC:New'].map((event) => ({ event, sessions: 1 }))],
    ]);
    const newer = findingsOf(observed, { ...trial, serverMajor: supportedMajors.last + 1 });
    expect(newer.facts?.unknownWaitEvents).toEqual(['IPC:New']);
    expect(newer.warnings?.join()).toMatch(/^PostgreSQL 20 is newer than pgduet knows\. .*: IPC:New\.$/);
    expect(findingsOf(observed, trial)).toMatchObject({
      warnings: [],
      facts: { waitEvents: { 'IO:WalSync': 'IO:WALSync' } },
    });
  });

  test('of two versions have one name, and each keeps what its server calls them', () => {
    const of = (event: string) => findingsOf(sampled([0, [{ event, sessions: 1 }]]), trial);
    const [older, newer] = [of('IO:WALSync'), of('IO:WalSync')];
    expect(older.measures).toEqual(newer.measures);
    expect(older.series).toEqual(newer.series);
    expect(older.facts).toEqual({ waitEvents: { 'IO:WalSync': 'IO:WALSync' } });
    expect(newer.facts).toBeUndefined();
  });

  test('of a trial without any active session have no shares', () => {
    const { measures: none } = findingsOf(sampled([0, [{ event: null, sessions: 3 }]]), trial);
    expect(none).toMatchObject({ 'waits.active': 0, 'waits.idle': 3 });
    expect(Object.values(none ?? {})).not.toContain(NaN);
  });
});
