import { describe, expect, it } from 'vitest';
import {
  type Arm,
  decidingRatios,
  isEnough,
  type Measured,
  obstacles,
  ratioOf,
  type Round,
} from '../../../bench/overhead/judge.ts';

/** Rounds whose throughput with all collectors is this share of the other arms'. */
function roundsOf(shares: readonly number[]): Round[] {
  return shares.map(
    (share, index) =>
      new Map<Arm, Measured>([
        ['on', { tps: (1000 + index) * share, p99Seconds: 0.002 }],
        ['off', { tps: 1000 + index, p99Seconds: index === 0 ? null : 0.001 }],
        ['plain', { tps: 1000 + index, p99Seconds: 0.001 }],
      ]),
  );
}
const steady = (share: number, rounds = 8): Round[] =>
  roundsOf(Array.from({ length: rounds }, (_, index) => share + (index % 2 === 0 ? 0.002 : -0.002)));

describe('what collecting costs', () => {
  it('is the ratio within each round, whatever drifts from round to round', () => {
    const { ratio, interval } = ratioOf(roundsOf(Array.from({ length: 8 }, () => 0.997)), 'tps', 'on', 'off');
    expect(ratio).toBeCloseTo(0.997, 9);
    expect(interval?.low).toBeCloseTo(0.997, 9);
    expect(interval?.level).toBeGreaterThanOrEqual(0.95);
  });

  it('leaves out rounds in which one side has no percentile', () => {
    expect(ratioOf(steady(1), 'p99Seconds', 'on', 'off')).toMatchObject({ rounds: 7 });
    expect(ratioOf(steady(1), 'p99Seconds', 'on', 'no-log')).toMatchObject({ rounds: 0, ratio: null, interval: null });
  });

  it('is measured until both intervals are within one percent either way, in eight rounds at least', () => {
    expect(isEnough(steady(1, 7))).toBe(false);
    expect(isEnough(steady(1))).toBe(true);
    // A cost that is known well enough needs no further rounds either.
    expect(isEnough(steady(0.9))).toBe(true);
    expect(isEnough(roundsOf([0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1]))).toBe(false);
  });

  it('is shown to be almost nothing by ratio and low end together', () => {
    expect(obstacles(steady(0.995))).toEqual([]);
    expect(obstacles(steady(0.985))).toEqual([
      expect.stringMatching(/on\/off is 0\.985\d, below 0\.99/),
      expect.stringMatching(/on\/plain is 0\.985\d, below 0\.99/),
    ]);
    const wide = roundsOf([0.95, 1.05, 0.95, 1.05, 0.95, 1.05, 1, 1]);
    expect(decidingRatios(wide).every(({ ratio }) => ratio !== null && ratio > 0.99)).toBe(true);
    expect(obstacles(wide)).toEqual([
      expect.stringContaining('on/off may be as low as 0.9'),
      expect.stringContaining('on/plain may be as low as 0.9'),
    ]);
  });

  it('is not shown by too few rounds', () => {
    expect(obstacles(steady(1, 5))).toEqual([
      'The throughput of on/off has no interval.',
      'The throughput of on/plain has no interval.',
    ]);
  });
});
