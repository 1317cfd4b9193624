import fc from 'fast-check';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, test } from 'vitest';
import { findKnee, kneeInterval, levelCentres } from '../../runner/statistics/knee.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { repeats } from '../helpers/repeats.ts';

/** Throughput at 1, 2, 4 ... 64 clients: eight clients reach 97.5% of the best, four reach 65%. */
const truth = [110, 220, 520, 780, 800, 800, 790];
const trueKnee = 3;
const tolerance = 0.05;

const random = xoroshiro128plus(20);
const uniform = (): number => uniformFloat64(random);

/** Six blocks, each trial with independent noise of 5%, and each block with a pace of its own. */
function noisyLadder(blocks = 6): number[][] {
  return Array.from({ length: blocks }, () => {
    const pace = Math.exp(0.1 * normalVariate(uniform));
    return truth.map((value) => value * pace * Math.exp(0.05 * normalVariate(uniform)));
  });
}

test('a known knee is found within one level in 95% of ladders of six blocks with 5% noise', () => {
  const ladders = 2000;
  const found = Array.from({ length: ladders }, () => findKnee(noisyLadder(), tolerance)?.knee ?? NaN);
  const near = found.filter((knee) => Math.abs(knee - trueKnee) <= 1).length;
  expect(near / ladders).toBeGreaterThanOrEqual(0.95);
  // Not because any level would do.
  expect(found.filter((knee) => knee === trueKnee).length / ladders).toBeGreaterThan(0.55);
});

test('the interval of the knee holds the true one in nine of ten ladders at least, and is not the whole ladder', () => {
  const ladders = repeats(120, 0.5);
  const intervals = Array.from({ length: ladders }, () => kneeInterval(noisyLadder(), { tolerance, level: 0.95 }));
  const holding = intervals.filter((one) => one && one.low <= trueKnee && trueKnee <= one.high).length;
  expect(holding / ladders).toBeGreaterThanOrEqual(0.9);
  const widths = intervals.map((one) => (one ? one.high - one.low : NaN)).sort((a, b) => a - b);
  expect(widths[ladders / 2]).toBeLessThanOrEqual(2);
});

test('without noise the knee is the lowest level within the tolerance, and its interval is that level', () => {
  const blocks = Array.from({ length: 6 }, () => truth);
  expect(findKnee(blocks, tolerance)).toEqual({ knee: 3, best: 4 });
  expect(kneeInterval(blocks, { tolerance, level: 0.95 })).toMatchObject({ low: 3, high: 3 });
  expect(findKnee(blocks, 0.4)).toMatchObject({ knee: 2 });
});

test('throughput that still rises has its knee at the highest level', () => {
  expect(findKnee([[100, 200, 400]], tolerance)).toEqual({ knee: 2, best: 2 });
});

test('levels without a value are passed over, and one level alone has no knee', () => {
  expect(findKnee([[100, null, 104]], tolerance)).toEqual({ knee: 0, best: 2 });
  expect(findKnee([[100, null, null]], tolerance)).toBeNull();
  expect(findKnee([], tolerance)).toBeNull();
  expect(levelCentres([[100, null]])[1]).toBeNull();
});

test('five blocks give no interval', () => {
  expect(kneeInterval(noisyLadder(5), { tolerance, level: 0.95 })).toBeNull();
});

test('the knee is the same whatever unit throughput has, and never lies above the best level', () => {
  const rate = fc.double({ min: 1, max: 1e6, noNaN: true });
  const ladder = fc.array(fc.array(rate, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(ladder, fc.double({ min: 0.01, max: 100, noNaN: true }), (blocks, unit) => {
      const found = findKnee(blocks, tolerance);
      expect(found && found.knee <= found.best).toBe(true);
      const scaled = findKnee(
        blocks.map((block) => block.map((value) => value * unit)),
        // A hair more, so that rounding cannot push a level out that lies exactly on the bound.
        tolerance + 1e-9,
      );
      expect(scaled && found && scaled.knee <= found.knee).toBe(true);
    }),
  );
});
