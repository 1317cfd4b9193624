import { describe, expect, test } from 'vitest';
import { type CounterSnapshot, differenceOf } from '../../runner/collect/postgres/counters.ts';

function snapshot(values: CounterSnapshot['values'], change: Partial<CounterSnapshot> = {}): CounterSnapshot {
  return { serverStartedAt: 'monday', resetAt: 'sunday', values, gauges: {}, ...change };
}

const sized = (size: number, values: CounterSnapshot['values'] = {}): CounterSnapshot =>
  snapshot(values, { gauges: { 'database.size': size, 'history.size': null } });

/** The problem that is reported if nothing was counted. */
function problemOf(before: CounterSnapshot, after: CounterSnapshot): string {
  const { facts, ...rest } = differenceOf('wal', before, after);
  expect(rest).toEqual({});
  expect(facts?.counterProblems).toHaveLength(1);
  return facts?.counterProblems?.[0] ?? '';
}

describe('differences between two snapshots', () => {
  test('are the later counters less the earlier ones; a counter that the server has not stays null', () => {
    const found = differenceOf(
      'wal',
      snapshot({ 'wal.bytes': 10, 'wal.syncs': 1, 'wal.writeTime': null }),
      snapshot({ 'wal.bytes': 25, 'wal.syncs': 4, 'wal.writeTime': null }),
    );
    expect(found).toEqual({ measures: { 'wal.bytes': 15, 'wal.syncs': 3, 'wal.writeTime': null } });
  });

  test('a restart in between leaves nothing to believe', () => {
    const restarted = snapshot({ 'wal.bytes': 25 }, { serverStartedAt: 'tuesday' });
    expect(problemOf(snapshot({ 'wal.bytes': 10 }), restarted)).toMatch(/restarted .*no counters of wal/);
  });

  test('a reset in between is told by its time, and by counters that went backwards', () => {
    const before = snapshot({ 'wal.bytes': 10 });
    expect(problemOf(before, snapshot({ 'wal.bytes': 25 }, { resetAt: 'tuesday' }))).toContain(
      'the counters of wal were reset during the trial (tuesday)',
    );
    expect(problemOf(before, snapshot({ 'wal.bytes': 5 }))).toContain('went backwards (wal.bytes)');
  });

  test('gauges are taken as they are in the end, and as they were at the start', () => {
    expect(
      differenceOf('database', sized(70, { 'database.commits': 7 }), sized(100, { 'database.commits': 9 })),
    ).toEqual({
      measures: {
        'database.commits': 2,
        'database.size': 100,
        'database.sizeAtStart': 70,
        'history.size': null,
        'history.sizeAtStart': null,
      },
    });
  });

  test('gauges may fall, and counters beside them may not', () => {
    expect(differenceOf('database', sized(100), sized(70)).measures).toMatchObject({ 'database.size': 70 });
    expect(problemOf(sized(70, { 'database.commits': 9 }), sized(100, { 'database.commits': 7 }))).toContain(
      'went backwards (database.commits)',
    );
  });
});
