import { describe, expect, it } from 'vitest';
import { withDerived } from '../../runner/metrics/value.ts';

/** A load of 10 s whose last transaction ended 10 s later, with 1,000 writes of which a tenth was no WAL. */
const late = {
  runtime: 10,
  'collect.window': 20,
  'wal.bytes': 2_000_000,
  'wal.writes': 900,
  'volumes.log.writes': 50,
};
const derived = (measures: Readonly<Record<string, number>>) => withDerived(measures, new Map());

describe('what the server counted in a trial that was longer than its load', () => {
  it('is divided by the time in which it was counted', () => {
    expect(derived(late)).toMatchObject({
      'wal.bytesPerSecond': 100_000,
      'walVolume.otherWrites': expect.closeTo(0.1, 9) as number,
    });
  });

  it('is WAL per second of the load where its length is known, as WAL per transaction times TPS is', () => {
    const found = derived({ ...late, transactions: 1500, tps: 100 });
    expect(found['wal.bytesPerSecond']).toBeCloseTo((found['wal.bytesPerTransaction'] ?? NaN) * 100, 6);
  });

  it('is divided by the runtime where an earlier version did not keep that time', () => {
    const { 'collect.window': _, ...earlier } = late;
    expect(derived(earlier)).toMatchObject({ 'wal.bytesPerSecond': 200_000, 'walVolume.otherWrites': 0 });
  });
});

it.each([
  [300, 100, 0.25],
  [300, 0, 0],
  [0, 0, null],
])('of %d commits and %d rollbacks, %s is the share that was rolled back', (commits, rollbacks, share) => {
  const counted = { 'database.commits': commits, 'database.rollbacks': rollbacks };
  expect(derived(counted)['database.rollbackShare']).toBe(share);
});
