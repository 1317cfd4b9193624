import { describe, expect, it } from 'vitest';
import { independent, noises, normalNoise } from '../../bench/statistics/noise.ts';
import {
  type Count,
  countCoverage,
  countFalsePositives,
  countFalsePositivesOfOldWay,
  countVerdicts,
  simulatePeeking,
  simulateStopping,
} from '../../bench/statistics/simulations.ts';
import { binomialInterval } from '../../runner/statistics/binomial.ts';

/**
 * The bench with fewer experiments and its own seeds. Rates are compared with their bounds as far as this number allows.
 */
const experiments = 1000;

/** Interval for the rate behind a count, at the 99.9 % level. */
function rateOf({ hits, experiments: n }: Count): { low: number; high: number } {
  const interval = binomialInterval(hits, n, 0.999);
  if (!interval) throw new Error('nothing was simulated');
  return interval;
}

describe.each(noises)('under $name', (noise) => {
  it('a verdict of better or worse on nothing is as rare as stated, and far rarer than the old way’s', () => {
    const old = rateOf(countFalsePositivesOfOldWay(noise, 200));
    for (const blocks of [6, 10]) {
      const rate = rateOf(countFalsePositives({ noise, blocks, experiments }));
      expect(rate.low).toBeLessThan(0.05);
      expect(rate.high).toBeLessThan(old.low);
    }
  });

  it('intervals cover at least 93 %', () => {
    for (const blocks of [6, 8, 10]) {
      const coverage = countCoverage({ noise, blocks, effect: 0.1, experiments });
      expect(coverage.hits / experiments).toBeGreaterThanOrEqual(0.93);
      expect(coverage.level).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('stopping by precision keeps the error that peeking multiplies', () => {
    const setting = { noise, blocks: 30, experiments: 300 };
    expect(rateOf(simulateStopping(setting).falsePositives).low).toBeLessThan(0.05);
    expect(rateOf(simulatePeeking(setting).falsePositives).low).toBeGreaterThan(0.05);
  });
});

describe('power', () => {
  it('for 5 % is above 90 % with ten blocks at 2 % of noise, and grows with the blocks', () => {
    const power = (blocks: number) =>
      countVerdicts({ noise: normalNoise(0.03), blocks, effect: 0.05, experiments })('better').hits / experiments;
    expect(countVerdicts({ noise: independent, blocks: 10, effect: 0.05, experiments })('better').hits).toBeGreaterThan(
      0.9 * experiments,
    );
    expect(power(8)).toBeGreaterThan(power(6));
    expect(power(10)).toBeGreaterThan(power(8));
  });

  it('is not bought with calling a change of the threshold’s size equivalent', () => {
    const count = countVerdicts({ noise: independent, blocks: 10, effect: 0.05, experiments });
    expect(rateOf(count('equivalent')).low).toBeLessThan(0.025);
  });
});
