import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minWithUnknown, signedRankInterval } from '../../runner/statistics/signed-rank.ts';

const value = fc.double({ min: -5, max: 5, noNaN: true });
const known = fc.array(value, { minLength: 1, maxLength: 30 });

describe('an interval with unknown values', () => {
  it('holds the interval of all values, whatever the unknown ones were', () => {
    fc.assert(
      fc.property(known, fc.array(value, { maxLength: 4 }), (values, hidden) => {
        const bounded = signedRankInterval(values, 0.95, hidden.length);
        const whole = signedRankInterval([...values, ...hidden], 0.95);
        if (!bounded) return;
        expect(whole?.level).toBe(bounded.level);
        expect(whole?.low).toBeGreaterThanOrEqual(bounded.low);
        expect(whole?.high).toBeLessThanOrEqual(bounded.high);
      }),
    );
  });

  it('never begins to exclude zero because a value became unknown', () => {
    fc.assert(
      fc.property(known, fc.nat({ max: 3 }), fc.nat(), (values, unknown, which) => {
        const hidden = values.filter((_, index) => index !== which % values.length);
        const after = signedRankInterval(hidden, 0.95, unknown + 1);
        const before = signedRankInterval(values, 0.95, unknown);
        if (after && (after.low > 0 || after.high < 0)) {
          expect(before !== null && (after.low > 0 ? before.low > 0 : before.high < 0)).toBe(true);
        }
      }),
    );
  });

  it('is mirrored if the sides are exchanged', () => {
    fc.assert(
      fc.property(known, fc.nat({ max: 3 }), (values, unknown) => {
        const one = signedRankInterval(values, 0.95, unknown);
        const other = signedRankInterval(
          values.map((one) => -one),
          0.95,
          unknown,
        );
        expect(other === null).toBe(one === null);
        // Adding zero turns -0 into 0.
        expect(other && other.low + 0).toBe(one && 0 - one.high);
      }),
    );
  });

  it('exists from 12 values on if one is unknown, and from 6 if none is', () => {
    const values = (count: number): number[] => Array.from({ length: count }, (_, index) => 1 + index / 100);
    expect(minWithUnknown(0.95, 0)).toBe(6);
    expect(minWithUnknown(0.95, 1)).toBe(12);
    expect(signedRankInterval(values(10), 0.95, 1)).toBeNull();
    expect(signedRankInterval(values(11), 0.95, 1)?.low).toBeGreaterThan(0);
    for (const unknown of [2, 3, 6]) {
      const all = minWithUnknown(0.95, unknown);
      expect(signedRankInterval(values(all - unknown), 0.95, unknown)).not.toBeNull();
      expect(signedRankInterval(values(all - 1 - unknown), 0.95, unknown)).toBeNull();
    }
  });

  it('takes so many values in all if a fifth of the largest experiment is unknown, which is found at once', () => {
    const needed = minWithUnknown(0.95, 200);
    expect(signedRankInterval(Array<number>(needed - 200).fill(1), 0.95, 200)).not.toBeNull();
    expect(signedRankInterval(Array<number>(needed - 201).fill(1), 0.95, 200)).toBeNull();
    expect(minWithUnknown(0.95, 900)).toBeGreaterThan(1000);
  });
});
