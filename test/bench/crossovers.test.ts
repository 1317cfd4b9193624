import { describe, expect, it } from 'vitest';
import { hostThatLoses, measureCrossover, type SimulatedCrossover } from '../../bench/statistics/crossovers.ts';
import { seededRandom } from '../../bench/statistics/noise.ts';
import { countOutcomes } from '../../bench/statistics/table.ts';
import { decideAlone } from '../../bench/statistics/tool.ts';
import { binomialInterval } from '../../runner/statistics/distributions.ts';

const experiments = 600;

/** How often two variants that do not differ are called better or worse, and how often their interval excludes zero. */
function falseRates(of: SimulatedCrossover) {
  const random = seededRandom(8);
  const count = countOutcomes(experiments, () => {
    const { verdict, interval } = decideAlone(measureCrossover(of, random).pairs);
    return {
      verdict: verdict === 'better' || verdict === 'worse',
      interval: interval === null || interval.low > 0 || interval.high < 0,
    };
  });
  const rateOf = (name: 'verdict' | 'interval') => {
    const rate = binomialInterval(count(name).hits, experiments, 0.999);
    if (!rate) throw new Error('nothing was simulated');
    return rate;
  };
  return { verdict: rateOf('verdict'), interval: rateOf('interval') };
}

describe.each([0.1, 0.3])('a host that loses %s at some time of a crossover', (share) => {
  it.each([
    { exchanges: 3, blocks: 18 },
    { exchanges: 3, blocks: 36 },
    { exchanges: 4, blocks: 16 },
    { exchanges: 2, blocks: 24 },
  ])('makes no more false verdicts than stated: $exchanges exchanges, $blocks blocks', ({ exchanges, blocks }) => {
    const { verdict, interval } = falseRates({ exchanges, blocks, hosts: hostThatLoses(share, blocks) });
    expect(verdict.low).toBeLessThan(0.05);
    expect(interval.low).toBeLessThan(0.05);
  });

  it('makes far more of them where nothing is left out', () => {
    const { verdict } = falseRates({ exchanges: 1, blocks: 18, hosts: hostThatLoses(share, 18) });
    expect(verdict.low).toBeGreaterThan(0.1);
  });
});

it('three exchanges find +10% nearly always, also where a host loses 10%', () => {
  const random = seededRandom(8);
  const of = { exchanges: 3, blocks: 18, effect: Math.log(1.1), hosts: hostThatLoses(0.1, 18) };
  const count = countOutcomes(experiments, () => ({
    better: decideAlone(measureCrossover(of, random).pairs).verdict === 'better',
  }));
  expect(count('better').hits).toBeGreaterThan(0.9 * experiments);
});
