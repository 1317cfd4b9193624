import { describe, expect, test } from 'vitest';
import { type CounterSnapshot, differenceOf } from '../../runner/collect/postgres/counters.ts';

function snapshot(
  values: Record<string, number | null>,
  change: Partial<CounterSnapshot> & { resetAt?: string } = {},
): CounterSnapshot {
  return {
    serverStartedAt: change.serverStartedAt ?? 'monday',
    groups: { wal: { resetAt: change.resetAt ?? 'sunday', values, gauges: {} } },
  };
}

describe('differences between two snapshots', () => {
  test('are the later counters less the earlier ones; a counter that the server has not stays null', () => {
    const { wal, problems } = differenceOf(
      snapshot({ bytes: 10, syncs: 1, writeSeconds: null }),
      snapshot({ bytes: 25, syncs: 4, writeSeconds: null }),
    );
    expect(wal).toEqual({ bytes: 15, syncs: 3, writeSeconds: null });
    expect(problems).toEqual([]);
  });

  test('a restart in between leaves nothing to believe', () => {
    const { wal, problems } = differenceOf(
      snapshot({ bytes: 10 }),
      snapshot({ bytes: 25 }, { serverStartedAt: 'tuesday' }),
    );
    expect(wal).toBeNull();
    expect(problems).toEqual([expect.stringContaining('restarted')]);
  });

  test('a reset in between is told by its time, and by counters that went backwards', () => {
    expect(differenceOf(snapshot({ bytes: 10 }), snapshot({ bytes: 25 }, { resetAt: 'tuesday' }))).toMatchObject({
      wal: null,
      problems: [expect.stringContaining('reset in between (tuesday)')],
    });
    expect(differenceOf(snapshot({ bytes: 10 }), snapshot({ bytes: 5 }))).toMatchObject({
      wal: null,
      problems: [expect.stringContaining('went backwards (bytes)')],
    });
  });

  test('whether the server started anew in between is said either way', () => {
    expect(differenceOf(snapshot({}), snapshot({})).restarted).toBe(false);
    expect(differenceOf(snapshot({}), snapshot({}, { serverStartedAt: 'tuesday' })).restarted).toBe(true);
  });

  test('sizes are kept as they were at the start, too', () => {
    const at = (sizeBytes: number): CounterSnapshot => ({
      serverStartedAt: 'monday',
      groups: { database: { resetAt: null, values: {}, gauges: { sizeBytes, historyBytes: null } } },
    });
    expect(differenceOf(at(70), at(100)).sizesAtStart).toEqual({ sizeBytes: 70, historyBytes: null });
    expect(differenceOf(snapshot({}), snapshot({})).sizesAtStart).toBeUndefined();
  });

  test('gauges are taken as they are in the end', () => {
    const at = (sizeBytes: number): CounterSnapshot => ({
      serverStartedAt: 'monday',
      groups: { database: { resetAt: null, values: { commits: sizeBytes }, gauges: { sizeBytes } } },
    });
    expect(differenceOf(at(100), at(70)).database).toBeNull();
    expect(differenceOf(at(70), at(100)).database).toEqual({ commits: 30, sizeBytes: 100 });
  });
});
