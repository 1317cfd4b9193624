import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Estimate, estimatePaired } from '../../runner/analysis/estimate.ts';
import { judgeFamily, type Member } from '../../runner/analysis/family.ts';
import { simultaneousLevel } from '../../runner/statistics/exact-interval.ts';

/** Changes of pairs in percent, with some members far from zero and some near it. */
const changes = fc
  .tuple(
    fc.integer({ min: -20, max: 20 }),
    fc.array(fc.integer({ min: -150, max: 150 }), { minLength: 6, maxLength: 14 }),
  )
  .map(([center, noise]) => noise.map((tenths) => 1 + center / 100 + tenths / 1000));
const family = fc.array(changes.map(memberOf), { minLength: 1, maxLength: 6 });

function memberOf(ratios: readonly number[]): Member<Estimate> {
  const pairs = ratios.map((ratio) => ({ baseline: 100, candidate: 100 * ratio }));
  return { level: 0.95, estimateAt: (level) => estimatePaired(pairs, 'ratio', { level }) };
}

function excludesZero({ interval }: Estimate): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}

describe('comparisons that are judged together', () => {
  it('never differ where the comparison alone would not', () => {
    fc.assert(
      fc.property(family, (members) => {
        for (const [index, { differs }] of judgeFamily(members).entries()) {
          const member = members[index];
          if (differs) expect(member && excludesZero(member.estimateAt(member.level))).toBe(true);
        }
      }),
    );
  });

  it('differ wherever an interval that leaves out its even share of the error excludes zero', () => {
    fc.assert(
      fc.property(family, (members) => {
        for (const [index, { differs }] of judgeFamily(members).entries()) {
          const estimate = members[index]?.estimateAt(simultaneousLevel(0.95, members.length));
          if (estimate && excludesZero(estimate)) expect(differs).toBe(true);
        }
      }),
    );
  });

  it('have intervals that lie on one side of zero, or end there, exactly where they differ', () => {
    fc.assert(
      fc.property(family, (members) => {
        for (const { estimate, differs } of judgeFamily(members)) {
          const { interval, change } = estimate;
          if (!interval || change === null) continue;
          expect(interval.low <= 0 && interval.high >= 0).toBe(!differs || interval.low === 0 || interval.high === 0);
          if (differs) expect(change > 0 ? interval.low : -interval.high).toBeGreaterThanOrEqual(0);
          expect(interval.low).toBeLessThanOrEqual(change);
          expect(interval.high).toBeGreaterThanOrEqual(change);
        }
      }),
    );
  });

  it('have the intervals of their common level, but for an end at zero', () => {
    fc.assert(
      fc.property(family, (members) => {
        for (const [index, { estimate }] of judgeFamily(members).entries()) {
          const plain = members[index]?.estimateAt(simultaneousLevel(0.95, members.length));
          if (!estimate.interval || !plain?.interval) expect(estimate.interval).toBe(plain?.interval ?? null);
          else {
            expect([plain.interval.low, 0]).toContain(estimate.interval.low);
            expect([plain.interval.high, 0]).toContain(estimate.interval.high);
            expect(estimate.interval.level).toBe(plain.interval.level);
          }
        }
      }),
    );
  });

  it('are judged alike in any order, and one alone as ever', () => {
    fc.assert(
      fc.property(family, (members) => {
        expect(judgeFamily(members.toReversed())).toEqual(judgeFamily(members).toReversed());
        const [first] = members;
        if (!first) return;
        const alone = first.estimateAt(first.level);
        expect(judgeFamily([first])).toEqual([{ estimate: alone, differs: excludesZero(alone) }]);
      }),
    );
  });

  it('let what is settled leave its share to the rest, whose interval then ends at zero', () => {
    const clear = memberOf([1.2, 1.21, 1.22, 1.23, 1.24, 1.25, 1.26, 1.27]);
    // Its interval includes zero at 97.5%, and excludes it at 95%.
    const narrow = memberOf([0.99, 1.004, 1.008, 1.03, 1.04, 1.05, 1.06, 1.07]);
    expect(excludesZero(narrow.estimateAt(0.975))).toBe(false);
    expect(excludesZero(narrow.estimateAt(0.95))).toBe(true);
    const [, found] = judgeFamily([clear, narrow]);
    expect(found).toMatchObject({ differs: true, estimate: { interval: { low: 0 } } });
    const [other] = judgeFamily([narrow, narrow]);
    expect(other?.differs).toBe(false);
    expect(other?.estimate.interval?.low).toBeLessThan(0);
  });

  it('are none where there are none', () => {
    expect(judgeFamily([])).toEqual([]);
  });
});
