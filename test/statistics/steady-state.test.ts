import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawSeconds, seededRandom } from '../../bench/statistics/noise.ts';
import { batchMeans, mean } from '../../runner/statistics/summaries.ts';
import { commonCut, mser5, startByRest, startThatDiffers } from '../../runner/statistics/steady-state.ts';

const steady = (seconds: number, seed = 1) =>
  drawSeconds(0, seconds, seededRandom(seed)).map((value) => 1000 * Math.exp(value));
const withStall = (series: readonly number[], from: number, seconds = 15) =>
  series.map((value, second) => (second >= from && second < from + seconds ? 0 : value));
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe.each([
  ['MSER-5 as it was published', mser5],
  ['MSER-5 guarded against stalls', startThatDiffers],
])('%s', (_, cutOf) => {
  it('cuts a start that differs', () => {
    const started = steady(300).map((value, second) => value * (1 - 0.8 * Math.exp(-second / 10)));
    expect(cutOf(started)).toBeGreaterThanOrEqual(20);
    expect(cutOf(started)).toBeLessThanOrEqual(80);
  });
  it('is not known of a series that is too short, or has no steady part', () => {
    expect(cutOf([])).toBeNull();
    expect(cutOf(steady(49))).toBeNull();
    expect(cutOf(Array.from({ length: 200 }, (_, second) => second))).toBeNull();
  });
});

/** As it was published: the squared standard error of the mean of what each cut leaves. */
function mserByDefinition(series: readonly number[]): number | null {
  const batches = batchMeans(series, 5);
  const errors = batches.slice(0, Math.floor(batches.length / 2) + 1).map((_, cut) => {
    const rest = batches.slice(cut);
    return rest.reduce((sum, value) => sum + (value - mean(rest)) ** 2, 0) / rest.length ** 2;
  });
  const best = errors.indexOf(Math.min(...errors));
  return best === errors.length - 1 ? null : 5 * best;
}

it('MSER-5 cuts where its definition says', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 50, max: 900 }), fc.integer({ min: 0, max: 300 }), (seed, seconds, slow) => {
      const series = steady(seconds, seed).map((value, second) => (second < slow ? value / 2 : value));
      expect(mser5(series)).toBe(mserByDefinition(series));
    }),
    { numRuns: 300, seed: 1 },
  );
});

describe('a stall in mid-trial', () => {
  it('makes MSER-5, as it was published, cut the 255 seconds up to its end', () => {
    expect(mser5(withStall(steady(600), 240))).toBeGreaterThanOrEqual(255);
  });
  it('cuts nothing of what follows, at any second and however long', () => {
    fc.assert(
      fc.property(
        seeds,
        fc.integer({ min: 100, max: 500 }),
        fc.integer({ min: 1, max: 100 }),
        (seed, from, seconds) => {
          expect(startThatDiffers(withStall(steady(600, seed), from, seconds)) ?? Infinity).toBeLessThanOrEqual(from);
        },
      ),
      { numRuns: 200, seed: 1 },
    );
  });
  it('leaves the cut of a slow start as it is', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 18 }), fc.integer({ min: 150, max: 280 }), (seed, batches, from) => {
        const started = steady(600, seed).map((value, second) => (second < 5 * batches ? value / 2 : value));
        const cut = startThatDiffers(withStall(started, from)) ?? Infinity;
        expect(cut).toBeGreaterThanOrEqual(5 * batches);
        // By chance MSER cuts more of noise. The stall must not add to it.
        expect(cut).toBeLessThanOrEqual(Math.max(from, startThatDiffers(started) ?? Infinity));
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

describe('the first quarter by the rest', () => {
  it('is the ratio of their means, and nothing of a series that is too short or ends in nothing', () => {
    expect(startByRest([1, 1, 2, 2, 2, 2, 2, 2, 2])).toBe(0.5);
    expect(startByRest([1, 1, 2, 2, 2, 2, 2])).toBeNull();
    expect(startByRest([1, 1, 0, 0, 0, 0, 0, 0])).toBeNull();
  });
});

describe('the cut of a block', () => {
  it('is the largest of its trials, and none where a trial has none', () => {
    expect(commonCut([5, 20, 0])).toBe(20);
    expect(commonCut([5, null])).toBeNull();
    expect(commonCut([])).toBe(0);
  });
});
