import { describe, expect, it } from 'vitest';
import { countControlled } from '../../bench/statistics/controls.ts';
import { countStallingBaseline } from '../../bench/statistics/decisions.ts';
import { countDecided, defaultDesigns } from '../../bench/statistics/defaults.ts';
import { countFamily, familyCases } from '../../bench/statistics/families.ts';
import { measureInARow } from '../../bench/statistics/experiments.ts';
import { fewNoises, independent, noises, normalNoise, seededRandom } from '../../bench/statistics/noise.ts';
import { countLadder, ladderCases } from '../../bench/statistics/ladders.ts';
import { countPhases, phaseCases } from '../../bench/statistics/phases.ts';
import { countPrice, paceCases } from '../../bench/statistics/price.ts';
import { countRuledOut, ruledOut } from '../../bench/statistics/ruled-out.ts';
import { countScope, scopeCases } from '../../bench/statistics/scopes.ts';
import { simulate } from '../../bench/statistics/simulations.ts';
import { countStrategy } from '../../bench/statistics/ledger.ts';
import { countStarts, startsCases, statedOf } from '../../bench/statistics/starts.ts';
import {
  simulatePeeking,
  simulateStopping,
  simulateUntilVerdict,
  stoppingCases,
} from '../../bench/statistics/stopping.ts';
import { type Count, countOutcomes } from '../../bench/statistics/table.ts';
import { binomialInterval } from '../../runner/statistics/distributions.ts';
import { repeats } from '../helpers/repeats.ts';
import { scopeWords } from '../../runner/report/answer/change-words.ts';

/**
 * The bench with fewer experiments. Rates are compared with their bounds as far as this number allows.
 */
const experiments = repeats(1000, 0.2);

/** Interval for the rate behind a count, at the 99.9% level. */
function rateOf({ hits, experiments: n }: Count): { low: number; high: number } {
  const interval = binomialInterval(hits, n, 0.999);
  if (!interval) throw new Error('nothing was simulated');
  return interval;
}

describe.each(noises)('under $name', (noise) => {
  it('verdicts and intervals that exclude zero are as rare as stated if nothing differs', () => {
    for (const blocks of [6, 10]) {
      const { differs, excludesZero } = simulate({ noise, blocks, experiments });
      expect(rateOf(differs).low).toBeLessThan(0.05);
      expect(rateOf(excludesZero).low).toBeLessThan(0.05);
    }
  });

  it('intervals cover what they state', () => {
    for (const blocks of [6, 8, 10]) {
      const { covers, level } = simulate({ noise, blocks, effect: 0.1, experiments });
      expect(rateOf(covers).high).toBeGreaterThan(0.95);
      expect(level).toBeGreaterThanOrEqual(0.95);
    }
  });
});

it.each(fewNoises)('of three runs each in a row, the seconds find differences everywhere: $name', (noise) => {
  const random = seededRandom(1);
  const count = countOutcomes(200, () => ({ ...measureInARow(noise, random) }));
  expect(rateOf(count('bySeconds')).low).toBeGreaterThan(0.3);
  expect(count('byMeans').hits).toBeLessThan(count('bySeconds').hits);
});

it.each(ruledOut)('there is no verdict on $name', (one) => {
  expect(countRuledOut(one, 20).hits).toBe(0);
});

it.each(scopeCases.filter(({ breaks }) => breaks === undefined))(
  'the answer on $name holds for what it speaks of',
  (one) => {
    expect(rateOf(countScope(one, experiments).missesClaim).low).toBeLessThan(0.05);
  },
);

it.each(scopeCases.filter(({ breaks }) => breaks !== undefined))(
  'the answer on $name says what it assumes, and is wrong without that',
  (one) => {
    expect(rateOf(countScope(one, experiments).missesClaim).low).toBeGreaterThan(0.05);
    expect(scopeWords(one.scope, one.replicas, one).on).toContain(one.breaks);
  },
);

describe.each(phaseCases)('trials within a checkpoint cycle: $name', (one) => {
  it('make no false verdict more likely, but with a warning', () => {
    const { fixed, drawn } = countPhases(one, 20, repeats(100, 0.5));
    expect(rateOf(fixed.alone).low).toBeGreaterThan(0.5);
    expect(rateOf(fixed.unwarned).low).toBeLessThan(0.05);
    expect(rateOf(drawn.unwarned).low).toBeLessThan(0.05);
    if (one.drawnOver === undefined) expect(rateOf(drawn.stands).low).toBeLessThan(0.05);
  });
});

it.each(familyCases)('$candidates candidates get no more false verdicts than one', (one) => {
  const { anyFalse, allHold } = countFamily(one, experiments);
  expect(rateOf(anyFalse).low).toBeLessThan(0.05);
  expect(rateOf(allHold).high).toBeGreaterThan(0.95);
});

it.each([0.02, 0.03])('an artefact of %s that the control has, too, makes no verdict, as it did before', (artefact) => {
  const { falseBetter, falseBetterBefore, found } = countControlled(artefact, 10, 200);
  // Better is one of two directions, so its share of the error is half.
  expect(rateOf(falseBetter).low).toBeLessThan(0.025);
  expect(rateOf(falseBetterBefore).low).toBeGreaterThan(0.025);
  expect(found.hits).toBeGreaterThan(80);
});

it.each(paceCases)('the price of throughput holds as often as stated: $name', (one) => {
  expect(rateOf(countPrice(one, 400).covers).high).toBeGreaterThan(0.96875);
});

it.each(ladderCases)('ladders of $blocks blocks keep what they state, and boast of nothing: $name', (one) => {
  const { covers, bestBias } = countLadder(one, 400);
  expect(rateOf(covers).high).toBeGreaterThan(0.95);
  expect(bestBias).toBeLessThan(0.002);
});

it.each(startsCases)('of $starts starts that differ by $between, the next is predicted as stated', (one) => {
  const { predicted, reportedToDiffer } = countStarts(one, 60);
  expect(rateOf(predicted).high).toBeGreaterThan(statedOf(one.starts));
  if (one.between === 0 && one.second === undefined) expect(rateOf(reportedToDiffer).low).toBeLessThan(0.05);
});

it.each(['to the end', 'cut at the first block against'] as const)(
  'whoever starts anew until the candidate is better, each %s, is right no more often than stated',
  (strategy) => {
    const { before, now } = countStrategy(strategy, { asked: 6, spread: 0.02 }, 200);
    const [most, few] = [before.at(-1), now.at(-1)];
    if (!most || !few) throw new Error('nothing was simulated');
    expect(rateOf(most).low).toBeGreaterThan(0.1);
    expect(rateOf(few).low).toBeLessThan(0.025);
  },
);

it('the price of throughput is not the change times the median of the baseline', () => {
  const widest = paceCases.find(({ name }) => name.startsWith('blocks vary by 10%'));
  if (!widest) throw new Error('no such row');
  expect(rateOf(countPrice(widest, 400).coveredBefore).high).toBeLessThan(0.8);
});

describe('until: precision', () => {
  it.each(stoppingCases)('keeps the error: $name', (one) => {
    expect(rateOf(simulateStopping(one, 300).excludesZero).low).toBeLessThan(0.05);
  });

  it('stops although a candidate lost a block', () => {
    const lossy = stoppingCases.filter(({ losesBlock }) => losesBlock);
    for (const one of lossy) expect(simulateStopping(one, 100).toTheCap.hits).toBeLessThan(30);
    expect(lossy).toHaveLength(1);
  });

  it('does what peeking after every block does not', () => {
    expect(rateOf(simulatePeeking(independent, 300).excludesZero).low).toBeGreaterThan(0.05);
  });
});

describe('until: verdict', () => {
  it.each(stoppingCases)('keeps the error: $name', (one) => {
    expect(rateOf(simulateUntilVerdict(one, 0, 300).differs).low).toBeLessThan(0.05);
  });

  it.each(stoppingCases)('calls a change of the threshold equivalent as rarely as stated: $name', (one) => {
    expect(rateOf(simulateUntilVerdict(one, Math.log1p(0.05), 300).equivalent).low).toBeLessThan(0.025);
  });

  it('calls a baseline that stalls equivalent more often than all of its blocks would', () => {
    const one = { noise: normalNoise(0.01), candidates: 1, losesBlock: false };
    const early = simulateUntilVerdict(one, 0, 300, { max: 40, stalls: true }).equivalent;
    expect(rateOf(early).low).toBeGreaterThan(rateOf(countStallingBaseline(one.noise, 40, 300).equivalent).high);
  });

  it('stops at the first look if the effect is large, where a narrow interval would take longer', () => {
    const loud = { noise: normalNoise(0.05), candidates: 1, losesBlock: false };
    expect(simulateUntilVerdict(loud, 0.5, 100).meanBlocks).toBe(6);
    expect(simulateStopping(loud, 100).meanBlocks).toBeGreaterThan(20);
  });
});

describe('power', () => {
  const power = (blocks: number, spread: number) =>
    simulate({ noise: normalNoise(spread), blocks, effect: 0.05, experiments }).better.hits;

  it('for 5% is above 90% with ten blocks at 2% of noise, and grows with the blocks', () => {
    expect(power(10, 0.02)).toBeGreaterThan(0.9 * experiments);
    expect(power(8, 0.03)).toBeGreaterThan(power(6, 0.03));
    expect(power(10, 0.03)).toBeGreaterThan(power(8, 0.03));
  });

  it('is not bought with calling a change of the threshold’s size equivalent', () => {
    const { equivalent } = simulate({ noise: independent, blocks: 10, effect: 0.05, experiments });
    expect(rateOf(equivalent).low).toBeLessThan(0.025);
  });

  it.each(defaultDesigns())('suffices for +10%: $name', (one) => {
    const effect = Math.max(0.1, 2 * one.experiment.decision.practicalThreshold);
    expect(one.experiment.protocol.blocks).toBeGreaterThanOrEqual(one.design.blocksForVerdict);
    expect(rateOf(countDecided(one, effect, 200)).low).toBeGreaterThan(0.9);
  });
});

it('a baseline that stalls is rarely called equivalent to one that does not, once it did stall', () => {
  expect(countStallingBaseline(normalNoise(0.01), 6, experiments).equivalentDespiteStall.hits).toBeLessThan(
    0.02 * experiments,
  );
});
