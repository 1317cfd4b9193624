import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../bench/statistics/noise.ts';
import { ar1 } from '../../bench/statistics/trial-seconds.ts';
import { assessSteadiness } from '../../runner/statistics/steadiness.ts';

const options = { minSeconds: 60, threshold: 0.05 };
const noisy = (seconds: number, { seed = 1, spread = 0.1, correlation = 0 } = {}) =>
  ar1(correlation)(seconds, seededRandom(seed)).map((value) => 1000 * (1 + spread * value));
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('a series that changes', () => {
  it.each([
    ['fall', 0.6],
    ['rise', 1.4],
  ])('is named with the second and the size of a %s, wherever that is', (_, factor) => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 10, max: 290 }), (seed, second) => {
        const series = noisy(300, { seed, spread: 0.05 }).map((value, at) => (at < second ? value : factor * value));
        const { state, change, index } = assessSteadiness(series, options);
        expect(state).toBe('shifted');
        expect(Math.abs((index ?? NaN) - second)).toBeLessThanOrEqual(1);
        expect(Math.abs((change ?? NaN) - (factor - 1))).toBeLessThan(0.12);
      }),
      { numRuns: 50, seed: 1 },
    );
  });
  it('starts up where it rises until a second, and trends where it rises all the time', () => {
    const slow = noisy(600).map((value, second) => value * Math.min(1, 0.6 + (0.4 * second) / 300));
    const { state, change, index } = assessSteadiness(slow, options);
    expect(state).toBe('starting-up');
    expect(Math.abs((index ?? NaN) - 300)).toBeLessThan(30);
    expect(Math.abs((change ?? NaN) - 2 / 3)).toBeLessThan(0.15);

    const rising = noisy(600, { spread: 0.04 }).map((value, second) => value * (1 + (0.3 * second) / 600));
    const trend = assessSteadiness(rising, options);
    expect(trend).toMatchObject({ state: 'trending', index: null });
    expect(Math.abs((trend.change ?? NaN) - 0.3)).toBeLessThan(0.06);
  });
  it('is named without any noise, too, and from nothing', () => {
    const step = Array.from({ length: 100 }, (_, second) => (second < 40 ? 0 : 7));
    expect(assessSteadiness(step, options)).toMatchObject({ state: 'shifted', index: 40, change: Infinity });
    const line = Array.from({ length: 100 }, (_, second) => 1000 + 5 * second);
    expect(assessSteadiness(line, options)).toMatchObject({ state: 'trending' });
  });
  it('is named in a trial that is too short to be called steady', () => {
    const falling = [1010, 985, 612, 590, 603, 598, 611, 607, 595];
    expect(assessSteadiness(falling, options)).toMatchObject({ state: 'shifted', index: 2 });
  });
  it('is the same by any unit', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: -20, max: 20 }), (seed, power) => {
        const series = noisy(100, { seed }).map((value, second) => (second < 30 ? value : 0.7 * value));
        const { state, index } = assessSteadiness(series, options);
        const scaled = assessSteadiness(
          series.map((value) => value * 2 ** power),
          options,
        );
        expect(scaled).toMatchObject({ state, index });
      }),
      { numRuns: 50, seed: 1 },
    );
  });
});

describe('a series that has one level', () => {
  it('is steady where a change is smaller than matters', () => {
    const rising = noisy(600, { spread: 0.02 }).map((value, second) => value * (1 + (0.02 * second) / 600));
    expect(assessSteadiness(rising, options).state).toBe('steady');
    expect(assessSteadiness(rising, { ...options, threshold: 0.01 }).state).not.toBe('steady');
  });
  it('is steady where it stalls and recovers', () => {
    const stalled = noisy(600, { spread: 0.04 }).map((value, second) => (second >= 300 && second < 330 ? 0 : value));
    expect(assessSteadiness(stalled, options).state).toBe('steady');
  });
  it('is not assessed where it is too short, or nothing happens at all', () => {
    expect(assessSteadiness([], options)).toMatchObject({ state: 'not-assessed', change: null });
    expect(assessSteadiness(noisy(7), options).reason).toBe('only 7 seconds have a value, but 8 are needed');
    expect(assessSteadiness(noisy(59), options)).toMatchObject({
      state: 'not-assessed',
      reason: 'no change in 59 s, but 60 s are needed to call it steady',
    });
    expect(assessSteadiness(new Array<number>(100).fill(0), options).state).toBe('not-assessed');
    expect(assessSteadiness(new Array<number>(100).fill(7), options).state).toBe('steady');
  });
  it('is refused where a value is no number', () => {
    expect(() => assessSteadiness([...noisy(99), NaN], options)).toThrow('NaN among the values');
  });
});

it('has an index of the series and a size that matters, whatever the values', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 80 });
  fc.assert(
    fc.property(values, (series) => {
      const { state, change, index } = assessSteadiness(series, options);
      expect(change === null).toBe(state === 'steady' || state === 'not-assessed');
      if (change !== null) expect(Math.abs(change)).toBeGreaterThanOrEqual(options.threshold);
      expect(index === null).toBe(state !== 'shifted' && state !== 'starting-up');
      if (index !== null) expect(series[index]).toBeDefined();
    }),
    { numRuns: 300, seed: 1 },
  );
});
