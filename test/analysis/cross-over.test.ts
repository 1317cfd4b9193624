import { describe, expect, it } from 'vitest';
import { crossOver } from '../../runner/analysis/cross-over.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { claims, compare } from '../helpers/samples/compared-blocks.ts';
import { failedCheck, trial } from '../helpers/samples/measured-trial.ts';

/** The candidate gains a tenth. The second instance is half as fast again as the first one, whatever it carries. */
function crossedTrials(blocks: number): Trial[] {
  return Array.from({ length: blocks }, (_, index) => {
    const period = index < blocks / 2 ? (1 as const) : (2 as const);
    const [first, second] = [1000 + ((index * 37) % 11), (1000 + ((index * 53) % 13)) * 1.5];
    const [before, after] = period === 1 ? [first, second] : [second, first];
    return [
      trial('without', index + 1, { tps: before }, { period }),
      trial('with', index + 1, { tps: after * 1.1 }, { period }),
    ];
  }).flat();
}

function compared(trials: readonly Trial[], crossover: boolean) {
  const crossed = { ...claims, scope: 'hosts-cancelled', unit: 'pair of blocks' } as const;
  return compare(trials, { claims: crossover ? crossed : claims }).comparisons.find(({ primary }) => primary);
}

describe('blocks of a crossover', () => {
  it('cancel out what sets the two instances apart', () => {
    const comparison = compared(crossedTrials(12), true);
    expect(comparison?.change).toBeCloseTo(0.1, 2);
    expect((comparison?.interval?.high ?? NaN) - (comparison?.interval?.low ?? NaN)).toBeLessThan(0.02);
    expect(comparison).toMatchObject({ scope: 'hosts-cancelled', verdict: 'better', baseline: { n: 6 } });
    expect(comparison?.method).toBe(
      'paired by pair of blocks: Hodges-Lehmann estimate on log-ratios, exact Wilcoxon signed-rank interval',
    );
  });

  it('need twelve for an interval', () => {
    expect(compared(crossedTrials(10), true)).toMatchObject({
      ...{ verdict: 'descriptive', interval: null },
      withheld: ['5 pairs of blocks were compared, and a verdict takes 6'],
    });
    expect(compared(crossedTrials(10), true)?.method).toContain(
      'no interval: 5 complete pairs of blocks, and 6 are needed',
    );
    expect(compared(crossedTrials(2), true)?.withheld).toEqual([
      '1 pair of blocks was compared, and a verdict takes 6',
    ]);
  });

  it('taken one by one speak of the instances only, and are far apart', () => {
    const comparison = compared(crossedTrials(12), false);
    expect(comparison?.scope).toBe('these-instances');
    expect((comparison?.interval?.high ?? NaN) - (comparison?.interval?.low ?? NaN)).toBeGreaterThan(0.3);
  });

  it('are kept two to a pair, each with the attempt that counts', () => {
    const repeated = [
      ...crossedTrials(4).map((one) => (one.block === 3 ? { ...one, checks: [failedCheck] } : one)),
      trial('without', 3, { tps: 400 }, { period: 2, attempt: 2 }),
      trial('with', 3, { tps: 900 }, { period: 2, attempt: 2 }),
    ];
    const pairs = compared(repeated, true)?.pairs ?? [];
    expect(pairs).toMatchObject([
      { blocks: [1, 3], attempts: [1, 2], baseline: expect.closeTo(Math.sqrt(1000 * 400), 9) as number },
      { blocks: [2, 4], attempts: [1, 1] },
    ]);
    expect(pairs[0]).not.toHaveProperty('block');
  });

  it('without a partner do not count; values that may be zero are averaged', () => {
    const of = (period: 1 | 2, baseline: number, candidate: number) => ({ trials: [], period, baseline, candidate });
    const values = (...given: Parameters<typeof crossOver>) =>
      crossOver(...given).map(({ baseline, candidate }) => [baseline, candidate]);
    expect(values([of(1, 4, 9), of(1, 1, 1), of(2, 9, 4)], 'ratio')).toEqual([[6, 6]]);
    expect(values([of(1, 0, 0.2), of(2, 0.1, 0.4)], 'ratio')).toEqual([[0.05, expect.closeTo(0.3, 12)]]);
    expect(values([of(1, 4, 9), of(2, 9, 4)], 'difference')).toEqual([[6.5, 6.5]]);
  });
});
