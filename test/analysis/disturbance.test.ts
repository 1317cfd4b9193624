import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claims } from '../../runner/analysis/claims.ts';
import { smallestQuietChange, shareTaken } from '../../runner/analysis/disturbance.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Measures } from '../../runner/contract/metric.ts';
import { claims, compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';
import { answers } from '../../runner/report/answer/answers.ts';

interface Side {
  tps: number;
  others: number;
  own?: number;
  more?: Measures;
  /** Of what others took, by threads that could run throughout. */
  always?: Record<string, number>;
}

/** So many blocks of two variants on a machine that keeps its processors awake. */
function besides(
  pairs: readonly { without: Side; with: Side }[],
  metric = 'tps',
  scope: Claims['scope'] = 'this-machine',
): Comparison {
  const trials = pairs.flatMap((pair, index) =>
    (['without', 'with'] as const).map((variant) => {
      const { tps, others, own = 1 - others, more = {}, always } = pair[variant];
      const observed = { 'driver.others': others, 'driver.own': own, 'driver.awake': 1 };
      return {
        ...trial(variant, index + 1, { tps, ...observed, ...more }),
        facts: { neighbours: [{ name: 'cc1', processors: 2 * others }], ...(always && { alwaysRunnable: always }) },
      };
    }),
  );
  return comparisonBy(
    compare(trials, { decision: { ...decision, metric }, claims: { ...claims, scope } }).comparisons,
    metric,
  );
}

const wobble = (index: number): number => 1 + 0.004 * Math.sin(3 * index);
const blocks = (count: number, pairOf: (index: number) => { without: Side; with: Side }) =>
  Array.from({ length: count }, (_, index) => pairOf(index));
const answerTo = (comparison: Comparison) =>
  answers([comparison], { metric: comparison.metric, practicalThreshold: 0.05, controls: [] })[0];

describe('beside other programs', () => {
  it('an effect that is larger than they can explain holds on a quiet machine, and says what it may be there', () => {
    const found = besides(
      blocks(6, (index) => ({
        without: { tps: 100 * wobble(index), others: 0.64 },
        with: { tps: 1400, others: 0.61 },
      })),
    );
    expect(found).toMatchObject({ verdict: 'better', beside: { isCondition: false, taken: { baseline: 0.64 } } });
    expect(found.withheld).toEqual([]);
    // A machine that did nothing else could at most do 2.5 / 0.36 times as much with the baseline.
    expect(found.beside?.quiet.low).toBeCloseTo((14 * 0.36) / 2.5 - 1, 1);
    const answer = answerTo(found);
    expect(answer?.headline).toBe('In this start, with is 14 times as fast as without.');
    expect(answer?.evidence).toContain(
      'Other programs took 64 % (without) and 61 % (with) of this machine’s processors. The busiest: cc1 1.25 processors. On a quiet machine, the change lies within',
    );
  });

  it('a smaller one is an answer with its condition in the headline', () => {
    const found = besides(
      blocks(6, (index) => ({
        without: { tps: 100 * wobble(index), others: 0.3 },
        with: { tps: 110, others: 0.3 },
      })),
    );
    expect(found).toMatchObject({ verdict: 'better', beside: { isCondition: true } });
    expect(answerTo(found)?.headline).toBe(
      'In this start, beside other programs, which took 30 % of this machine’s processors, with is 10 % faster than without.',
    );
  });

  // As measured beside a compile: one block of six is uneven, and loses hardly anything.
  it('that come and go by chance leave a large effect its answer', () => {
    const shares = [0.59, 0.19, 0.19, 0.19, 0.22, 0.19];
    const found = besides(
      blocks(6, (index) => ({
        without: { tps: 100 * wobble(index), others: shares[index] ?? 0 },
        with: { tps: 146 * wobble(2 * index), others: 0.2 },
      })),
    );
    expect(found).toMatchObject({ verdict: 'better', beside: { isCondition: true } });
  });

  it.each([2, 3, 4, 6])('that took %d blocks of six of one side alone explain what those lost', (count) => {
    const found = besides(
      blocks(6, (index) => ({
        without: { tps: 100 * (index < count ? 0.4 : 0.99) * wobble(index), others: index < count ? 0.45 : 0 },
        with: { tps: 100, others: 0 },
      })),
    );
    expect(found.interval?.low).toBeGreaterThan(0);
    expect(found).toMatchObject({ verdict: 'inconclusive', undecided: 'other programs' });
  });

  it.each([
    [0.45, 0.4],
    [0.4, 0.45],
    [0.42, 0.4],
  ])('that take %d beside one side and %d beside the other explain what a multiple of that loses', (before, after) => {
    const lost = (others: number) => ({ others, own: Math.min(2.5 * (1 - 1.6 * others), 1 - others) });
    const found = besides(
      blocks(12, (index) => ({
        without: { tps: 100 * (1 - 1.6 * before) * wobble(index), ...lost(before) },
        with: { tps: 100 * (1 - 1.6 * after), ...lost(after) },
      })),
    );
    expect(found).toMatchObject({ verdict: 'inconclusive', undecided: 'other programs' });
  });

  it.each([0.1, 0.2, 0.4])('that take %d of one side alone, what they take is no effect', (others) => {
    const slowed = besides(
      blocks(12, (index) => ({
        without: { tps: 100 * (1 - others) * wobble(index), others },
        with: { tps: 100, others: 0 },
      })),
    );
    expect(slowed).toMatchObject({ verdict: 'inconclusive', undecided: 'other programs' });
    expect(slowed.interval?.low).toBeGreaterThan(0);
    expect(answerTo(slowed)?.evidence).toContain('what other programs took of the processors can explain it');
    expect(answerTo(slowed)?.evidence).toContain('End them, and measure again.');
  });

  describe('that want a processor throughout, and get less of it beside a variant with more processes,', () => {
    const found = (always: { without: number; with: number }, last = 'loop') =>
      besides(
        blocks(6, (index) => ({
          without: { tps: 100 * wobble(index), others: 0.52, always: { loop: always.without } },
          with: { tps: 150, others: 0.27, always: { [index === 5 ? last : 'loop']: always.with } },
        })),
      );

    it('are the same beside both', () => {
      expect(found({ without: 0.5, with: 0.25 })).toMatchObject({ verdict: 'better', beside: { isCondition: true } });
    });

    it('are others where they are not beside all trials', () => {
      const others = { verdict: 'inconclusive', undecided: 'other programs' };
      expect(found({ without: 0.5, with: 0.25 }, 'another loop')).toMatchObject(others);
    });

    it('leave what came and went besides them to be weighed, as a share of what they left', () => {
      const others = { verdict: 'inconclusive', undecided: 'other programs' };
      expect(found({ without: 0.3, with: 0.25 })).toMatchObject(others);
    });
  });

  it('nothing is equivalent that they can hide', () => {
    const same = (others: number) =>
      besides(blocks(12, (index) => ({ without: { tps: 100 * wobble(index), others }, with: { tps: 100, others } })));
    expect(same(0.02)).toMatchObject({ verdict: 'equivalent' });
    expect(same(0.02).beside).toBeUndefined();
    expect(same(0.1)).toMatchObject({ verdict: 'inconclusive', undecided: 'other programs' });
  });

  it('a metric that nothing bounds, such as a percentile, is never judged for a quiet machine', () => {
    const byTail = (before: number, after: number) =>
      besides(
        blocks(6, (index) => ({
          without: { tps: 100, others: before, more: { 'latency.p99': 0.1 * wobble(index), transactions: 1e5 } },
          with: { tps: 100, others: after, more: { 'latency.p99': 0.01, transactions: 1e5 } },
        })),
        'latency.p99',
      );
    expect(byTail(0.3, 0.305)).toMatchObject({
      verdict: 'better',
      beside: { isCondition: true, quiet: { low: null } },
    });
    expect(byTail(0.3, 0.1)).toMatchObject({ verdict: 'inconclusive', undecided: 'other programs' });
  });

  it('who keeps sleeping processors busy may have made a trial faster', () => {
    const found = (awake: number) =>
      besides(
        blocks(6, (index) => ({
          without: { tps: 100 * wobble(index), others: 0 },
          with: { tps: 300, others: 0.1, more: { 'driver.awake': awake, 'driver.processors': 2, 'load.clients': 1 } },
        })),
      );
    expect(found(1)).toMatchObject({ verdict: 'better', beside: { isCondition: false } });
    expect(found(0)).toMatchObject({ verdict: 'inconclusive', undecided: 'other programs' });
  });

  it('of servers elsewhere, a busy driver is not weighed', () => {
    const found = besides(
      blocks(6, (index) => ({
        without: { tps: 100 * wobble(index), others: 0.3 },
        with: { tps: 110, others: 0.3 },
      })),
      'tps',
      'these-instances',
    );
    expect(found.beside).toBeUndefined();
  });
});

const side = fc.record({
  tps: fc.double({ min: 1, max: 1e4, noNaN: true }),
  others: fc.double({ min: 0, max: 0.99, noNaN: true }),
});

it('what they can explain only widens the interval, and exchanged sides mirror it', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ without: side, with: side }), { minLength: 6, maxLength: 12 }), (pairs) => {
      const found = besides(pairs);
      const mirrored = besides(pairs.map((pair) => ({ without: pair.with, with: pair.without })));
      const { beside, interval } = found;
      if (!beside || !interval) return;
      if (beside.quiet.low !== null) expect(beside.quiet.low).toBeLessThanOrEqual(interval.low + 1e-9);
      if (beside.quiet.high !== null) expect(beside.quiet.high).toBeGreaterThanOrEqual(interval.high - 1e-9);
      const opposite = { better: 'worse', worse: 'better' } as Record<string, string>;
      expect(mirrored.verdict).toBe(opposite[found.verdict ?? ''] ?? found.verdict);
      expect(mirrored.beside?.isCondition).toBe(beside.isCondition);
    }),
  );
});

it('steal counts as taken, and what is not observed is unknown', () => {
  expect(shareTaken({ 'driver.others': 0.1, 'driver.steal': 0.05 })).toBeCloseTo(0.15);
  expect(shareTaken({ 'driver.steal': 0.05 })).toBeNull();
});

it('the effect that stands whatever they do grows with their share', () => {
  const effects = [0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.9].map(smallestQuietChange);
  expect(effects[0]).toBeCloseTo(1 / 0.98 - 1);
  expect(effects[2]).toBeCloseTo(0.25);
  expect(effects[4]).toBeCloseTo(1.5);
  expect(effects[5]).toBeCloseTo(4);
  for (const [index, effect] of effects.slice(1).entries()) expect(effect).toBeGreaterThan(effects[index] ?? NaN);
});
