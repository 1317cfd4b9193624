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
  const [found] = await robustnessOf(
    [{ ...deciding, pairs, change: middle, trials: [] }],
    [],
    seriesInMemory(new Map()),
  );
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
        one.forEach((size, index) => expect(other[index]).toBeCloseTo(size, 9));
      }),
      { numRuns: 30 },
    );
  });

  it('leave out the one block that is far from the others, and name it', async () => {
    const found = await variationsOf([0.3, 0.31, 0.29, 0.3, -0.4, 0.32, 0.3, 0.28]);
    const [outlier, each, totals] = (['without-outlier', 'leave-one-out', 'totals'] as const).map((way) =>
      only(found, way),
    );
    expect(outlier).toMatchObject({ leftOut: '5', pairs: 7 });
    expect(outlier?.change).toBeCloseTo(0.3, 3);
    expect(each?.changes).toHaveLength(8);
    expect(totals?.change).toBeCloseTo(0.2125, 9);
  });

  it('have no interval where blocks are unknown, since only the planned one allows for them', async () => {
    const lost = await sampleResult({ blocks: 14, failedTrial: { block: 4, variant: 'with-log-volume' } });
    const [found] = lost.robustness ?? [];
    expect(found && only(found.variations, 'planned')?.interval).not.toBeNull();
    const others = found?.variations.filter(({ way }) => way !== 'planned') ?? [];
    expect(others.length).toBeGreaterThan(2);
    expect(others.filter(({ interval }) => interval !== null)).toEqual([]);
  });

  it('take the seconds after the start, and those with and without a checkpoint', async () => {
    const { trials } = recordSample({ blocks: 8, variants: { base: 1, fast: 1.3 } });
    // 22 seconds, of which the first and the last are not whole: the start has 5, checkpoints take 10 to 15.
    const rows = new Map(
      trials.map(({ id, conditions }) => [
        id,
        Array.from({ length: 22 }, (_, second): SeriesRow => {
          const factor = conditions.variant === 'base' ? 1 : second <= 5 ? 9 : second >= 10 && second < 15 ? 1.1 : 1.5;
          return { second, name: 'tps', value: 1000 * factor };
        }),
      ]),
    );
    const checkpoint = { startedAt: 10, endedAt: 15, restartpoint: false };
    const seen = trials.map((trial) => ({ ...trial, facts: { ...trial.facts, checkpoints: [checkpoint] as never } }));
    const [found] = await robustnessOf([deciding], seen, seriesInMemory(rows));
    const change = (way: Variation['way']): number => found?.variations.find((one) => one.way === way)?.change ?? NaN;
    expect(change('without-start')).toBeCloseTo((5 * 1.1 + 10 * 1.5) / 15 - 1, 9);
    expect(only(found?.variations ?? [], 'without-start')?.seconds).toBe(5);
    expect(change('during-checkpoints')).toBeCloseTo(0.1, 9);
    expect(change('between-checkpoints')).toBeCloseTo((5 * 9 + 10 * 1.5) / 15 - 1, 9);
  });
});
