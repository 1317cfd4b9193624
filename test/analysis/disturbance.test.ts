import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smallestQuietChange } from '../../runner/analysis/disturbance.ts';
import { shareTaken } from '../../runner/analysis/taken-by-others.ts';
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
function besides(pairs: readonly { without: Side; with: Side }[], metric = 'tps', sharesMachine = true): Comparison {
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
    compare(trials, { decision: { ...decision, metric }, claims: { ...claims, sharesMachine } }).comparisons,
    metric,
  );
}

const wobble = (index: number): number => 1 + 0.004 * Math.sin(3 * index);
type PairOf = (index: number) => { without: Side; with: Side };
const blocks = (count: number, pairOf: PairOf) => Array.from({ length: count }, (_, index) => pairOf(index));
const answerTo = (comparison: Comparison) =>
  answers([comparison], { metric: comparison.metric, practicalThreshold: 0.05, controls: [] })[0];

/** The candidate is so many times as fast beside others that take these shares. */
const beside =
  (times: number, before: number, after: number, more: Partial<Side> = {}): PairOf =>
  (index) => ({
    without: { tps: 100 * wobble(index), others: before },
    with: { tps: 100 * times, others: after, ...more },
  });
const shares = [0.59, 0.19, 0.19, 0.19, 0.22, 0.19];
const comingAndGoing: PairOf = (index) => ({
  without: { tps: 100 * wobble(index), others: shares[index] ?? 0 },
  with: { tps: 146 * wobble(2 * index), others: 0.2 },
});
/** They take from so many blocks of the baseline alone. */
const beginning =
  (count: number): PairOf =>
  (index) => ({
    without: { tps: 100 * (index < count ? 0.4 : 0.99) * wobble(index), others: index < count ? 0.45 : 0 },
    with: { tps: 100, others: 0 },
  });
/** Both sides lose 1.6 times what others take. */
const losing = (before: number, after: number): PairOf => {
  const lost = (others: number) => ({ others, own: Math.min(2.5 * (1 - 1.6 * others), 1 - others) });
  return (index) => ({
    without: { tps: 100 * (1 - 1.6 * before) * wobble(index), ...lost(before) },
    with: { tps: 100 * (1 - 1.6 * after), ...lost(after) },
  });
};
/** They take from the baseline alone, which loses just that. */
const slowing =
  (others: number): PairOf =>
  (index) => ({ without: { tps: 100 * (1 - others) * wobble(index), others }, with: { tps: 100, others: 0 } });
/** Threads that could run throughout, and get less beside a variant with more processes. */
const throughout =
  (before: number, after: number, last = 'loop'): PairOf =>
  (index) => ({
    without: { tps: 100 * wobble(index), others: 0.52, always: { loop: before } },
    with: { tps: 150, others: 0.27, always: { [index === 5 ? last : 'loop']: after } },
  });
/** They keep sleeping processors busy beside the candidate. */
const waking = (awake: number) =>
  beside(3, 0, 0.1, { more: { 'driver.awake': awake, 'driver.processors': 2, 'load.clients': 1 } });
const byTail =
  (before: number, after: number): PairOf =>
  (index) => ({
    without: { tps: 100, others: before, more: { 'latency.p99': 0.1 * wobble(index), transactions: 1e5 } },
    with: { tps: 100, others: after, more: { 'latency.p99': 0.01, transactions: 1e5 } },
  });

const isCondition = { verdict: 'better', beside: { isCondition: true } };
const isNone = { verdict: 'better', beside: { isCondition: false } };
const open = { verdict: 'inconclusive', undecided: 'other-programs' };

type Case = [about: string, found: object, blocks: number, of: PairOf, metric?: string, scope?: boolean];

describe('beside other programs', () => {
  it.each<Case>([
    ['a large effect holds on a quiet machine', isNone, 6, beside(14, 0.64, 0.61)],
    ['a small one holds only beside them', isCondition, 6, beside(1.1, 0.3, 0.3)],
    // As measured beside a compile: one block of six is uneven, and loses hardly anything.
    ['that come and go by chance, a large effect has its answer', isCondition, 6, comingAndGoing],
    ...[2, 3, 4, 6].map((count): Case => [`in ${count} of 6 blocks of one side`, open, 6, beginning(count)]),
    ['that take more beside one side, of which it loses a multiple', open, 12, losing(0.45, 0.4)],
    ['that take more beside the other', open, 12, losing(0.4, 0.45)],
    ['that take a little more', open, 12, losing(0.42, 0.4)],
    ...[0.1, 0.2, 0.4].map((share): Case => [`that take ${share} of one side alone`, open, 12, slowing(share)]),
    ['that want a processor throughout, they are the same beside both', isCondition, 6, throughout(0.5, 0.25)],
    ['that are others in one trial', open, 6, throughout(0.5, 0.25, 'another loop')],
    ['that come and go besides those', open, 6, throughout(0.3, 0.25)],
    ['that take next to nothing, two are equivalent', { verdict: 'equivalent' }, 12, beside(1, 0.02, 0.02)],
    ['that can hide a difference, nothing is', open, 12, beside(1, 0.1, 0.1)],
    ['who keep processors busy that are awake', isNone, 6, waking(1)],
    ['who keep processors busy that would sleep', open, 6, waking(0)],
    [
      'a percentile, which nothing bounds, is not judged for a quiet machine',
      isCondition,
      6,
      byTail(0.3, 0.305),
      'latency.p99',
    ],
    ['a percentile is open if they take more beside one side', open, 6, byTail(0.3, 0.1), 'latency.p99'],
    ['of a driver, servers elsewhere lose nothing', { verdict: 'better' }, 6, beside(1.1, 0.3, 0.3), 'tps', false],
  ])('%s', (_, expected, count, pairOf, metric, sharesMachine) => {
    const found = besides(blocks(count, pairOf), metric, sharesMachine);
    expect(found).toMatchObject({ ...expected, withheld: [] });
    expect(found.beside !== undefined).toBe(expected === open || 'beside' in expected);
  });

  it('says what the change may be on a quiet machine', () => {
    const found = besides(blocks(6, beside(14, 0.64, 0.61)));
    expect(found.beside?.taken.baseline).toBeCloseTo(0.64);
    // A machine that did nothing else could at most do 2.5 / 0.36 times as much with the baseline.
    expect(found.beside?.quiet.low).toBeCloseTo((14 * 0.36) / 2.5 - 1, 1);
    expect(besides(blocks(6, byTail(0.3, 0.305)), 'latency.p99').beside?.quiet.low).toBeNull();
    expect(besides(blocks(6, beginning(2))).interval?.low).toBeGreaterThan(0);
    expect(besides(blocks(12, slowing(0.1))).interval?.low).toBeGreaterThan(0);
  });

  it('the condition is in the headline, and what they took and what to do in the evidence', () => {
    expect(answerTo(besides(blocks(6, beside(14, 0.64, 0.61))))?.evidence).toMatch(/64% .* 61% .* cc1 1\.25 /);
    expect(answerTo(besides(blocks(6, beside(1.1, 0.3, 0.3))))?.headline).toMatch(/ 30% /);
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
