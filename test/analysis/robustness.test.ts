import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { robustnessOf } from '../../runner/analysis/robustness.ts';
import type { CountedPair } from '../../runner/contract/comparison.ts';
import type { SeriesRow } from '../../runner/contract/metric.ts';
import type { Variation } from '../../runner/contract/robustness.ts';
import { recordSample, sampleResult, seriesInMemory } from '../helpers/samples/sample-result.ts';

const sample = await sampleResult({ variants: { base: 1, fast: 1.3 }, blocks: 8 });
const [decides] = sample.comparisons.filter(({ primary }) => primary);
if (!decides) throw new Error('the sample has a comparison that decides');
const deciding = decides;

/** The variations of the sample's comparison, with these changes in its pairs and no series. */
async function variationsOf(changes: readonly number[]): Promise<Variation[]> {
  const pairs = changes.map((change, index): CountedPair => ({
    block: index + 1,
    baseline: 1000,
    candidate: 1000 * (1 + change),
    change,
  }));
  const middle = changes.toSorted((a, b) => a - b)[Math.floor(changes.length / 2)] ?? 0;
  const [found] = await robustnessOf([{ ...deciding, pairs, change: middle, trials: [] }], {
    trials: [],
    series: seriesInMemory(new Map()),
    practicalThreshold: 0.05,
  });
  return found?.variations ?? [];
}

const only = (variations: readonly Variation[], way: Variation['way']): Variation | undefined =>
  variations.find((variation) => variation.way === way);

describe('other ways to compute the answer', () => {
  it('all say the same of equal pairs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -0.5, max: 2, noNaN: true }),
        fc.integer({ min: 4, max: 20 }),
        async (change, count) => {
          for (const one of await variationsOf(Array.from({ length: count }, () => change))) {
            expect(one.change).toBeCloseTo(change, 9);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('do not depend on the order of the blocks', async () => {
    const changes = fc.uniqueArray(fc.double({ min: -0.4, max: 1, noNaN: true }), { minLength: 4, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(changes, async (some) => {
        const sizes = async (of: readonly number[]): Promise<number[]> =>
          (await variationsOf(of))
            .filter(({ way }) => way !== 'planned')
            .flatMap(({ change, changes: each = [] }) => [change, ...each.toSorted((a, b) => a - b)]);
        const [one, other] = [await sizes(some), await sizes(some.toReversed())];
        expect(other.length).toBe(one.length);
        // The way back from logarithms is rounded.
        one.forEach((size, index) => expect(other[index]).toBeCloseTo(size, 8));
      }),
      { numRuns: 30 },
    );
  });

  it('leave out blocks that lie far from the others by the check of outliers, and name them', async () => {
    const found = await variationsOf([0.3, 0.31, 0.29, 0.3, -0.4, 0.32, 0.3, 0.28]);
    const [outlier, each, totals] = (['without-outlier', 'leave-one-out', 'totals'] as const).map((way) =>
      only(found, way),
    );
    expect(outlier).toMatchObject({ leftOut: '5', pairs: 7 });
    expect(outlier?.change).toBeCloseTo(0.3, 3);
    expect(each?.changes).toHaveLength(8);
    expect(totals?.change).toBeCloseTo(0.2125, 9);
    const two = await variationsOf([0.3, 0.31, 0.29, 0.3, -0.4, 0.32, 0.3, 0.28, 0.9, 0.3]);
    expect(only(two, 'without-outlier')).toMatchObject({ leftOut: '5 and 9', pairs: 8 });
  });

  it('do not call the farthest block an outlier if it lies near the others', async () => {
    const found = await variationsOf([1.076, 0.998, 1.069, 1.105, 0.981, 1.096]);
    expect(only(found, 'without-outlier')).toBeUndefined();
    expect(only(found, 'leave-one-out')?.changes).toHaveLength(6);
  });

  it('name all blocks without which the estimate moves most, and none if it moves equally without each', async () => {
    const tied = await variationsOf([0.2, 0.2, 0.3, 0.3, 0.3]);
    expect(only(tied, 'leave-one-out')?.leftOut).toBe('3 or 4 or 5');
    const equal = await variationsOf([0.3, 0.3, 0.3, 0.3]);
    expect(only(equal, 'leave-one-out')?.leftOut).toBeUndefined();
  });

  it('have no interval where blocks are unknown, since only the planned one allows for them', async () => {
    const lost = await sampleResult({ blocks: 14, failedTrial: { block: 4, variant: 'with-log-volume' } });
    const [found] = lost.robustness ?? [];
    expect(found && only(found.variations, 'planned')?.interval).not.toBeNull();
    const others = found?.variations.filter(({ way }) => way !== 'planned') ?? [];
    expect(others.length).toBeGreaterThan(2);
    expect(others.filter(({ interval }) => interval !== null)).toEqual([]);
  });

  it('take the seconds after the start by the clock, and those wholly inside or wholly outside a checkpoint', async () => {
    // 22 seconds, of which the first and the last are not whole. A checkpoint takes 10.4 to 15.4.
    const factors = (second: number): number =>
      second < 5 ? 9 : second >= 11 && second < 15 ? 1.1 : second === 10 || second === 15 ? 3 : 1.5;
    const found = await bySecond(factors, [{ startedAt: 10.4, endedAt: 15.4 }]);
    const change = (way: Variation['way']): number => only(found, way)?.change ?? NaN;
    expect(change('without-start')).toBeCloseTo((4 * 1.1 + 2 * 3 + 10 * 1.5) / 16 - 1, 9);
    expect(only(found, 'without-start')?.seconds).toBe(5);
    expect(change('during-checkpoints')).toBeCloseTo(0.1, 9);
    expect(change('between-checkpoints')).toBeCloseTo((4 * 9 + 10 * 1.5) / 14 - 1, 9);
  });

  it('are left out if they keep every second', async () => {
    const always = await bySecond((second) => 1 + second / 100, [{ startedAt: -5, endedAt: null }]);
    expect(only(always, 'during-checkpoints')).toBeUndefined();
    expect(only(always, 'between-checkpoints')).toBeUndefined();
    const inTurn = await bySecond(
      (second) => 1 + second / 100,
      [
        { startedAt: -5, endedAt: 9.5 },
        { startedAt: 9.501, endedAt: 30 },
      ],
    );
    expect(only(inTurn, 'during-checkpoints')).toBeUndefined();
    const never = await bySecond((second) => 1 + second / 100, []);
    expect(only(never, 'between-checkpoints')).toBeUndefined();
    expect(only(never, 'without-start')).toBeDefined();
  });
});

/** The variations if the candidate is so many times as fast in each second of every trial. */
async function bySecond(
  factors: (second: number) => number,
  checkpoints: readonly { startedAt: number; endedAt: number | null }[],
): Promise<Variation[]> {
  const { trials } = recordSample({ blocks: 8, variants: { base: 1, fast: 1.3 } });
  const rows = new Map(
    trials.map(({ id, conditions }) => [
      id,
      Array.from({ length: 22 }, (_, second): SeriesRow => {
        const factor = conditions.variant === 'base' ? 1 : factors(second);
        return { second, name: 'tps', value: 1000 * factor };
      }),
    ]),
  );
  const logged = checkpoints.map((one) => ({ ...one, restartpoint: false }));
  const observed = trials.map((trial) => ({ ...trial, facts: { ...trial.facts, checkpoints: logged as never } }));
  const [found] = await robustnessOf([deciding], {
    trials: observed,
    series: seriesInMemory(rows),
    practicalThreshold: 0.05,
  });
  return found?.variations ?? [];
}
