import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEnough } from '../../runner/analysis/compare-run.ts';
import { support, totalsOf, unseenStalls } from '../../runner/analysis/totals.ts';
import { totals } from '../../runner/analysis/validity/pair/totals.ts';
import { blocksThatSettle } from '../../runner/analysis/verdict.ts';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { blocksOf, compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';
import { answers } from '../../runner/report/answer/answers.ts';

/** So many blocks in which the candidate is 6% faster, give or take half a percent, but loses 80% in these. */
const stalling = (blocks: number, stalls: readonly number[], gain = 1.06): [number, number][] =>
  Array.from({ length: blocks }, (_, index) => [
    1000,
    1000 * (gain + 0.005 * Math.sin(index)) * (stalls.includes(index) ? 0.2 : 1),
  ]);

const judged = (pairs: readonly [number, number][]): Comparison =>
  comparisonBy(compare(blocksOf(pairs)).comparisons, 'tps');

const answerTo = (comparison: Comparison) =>
  answers([comparison], { metric: comparison.metric, practicalThreshold: 0.05, controls: [] })[0];

describe('a candidate that is faster in a typical block and slower over all of them', () => {
  const found = judged(stalling(20, [3, 11]));

  it('is not better, and the reason is known by its id', () => {
    expect(found.interval?.low).toBeGreaterThan(0);
    expect(found).toMatchObject({ verdict: 'inconclusive', undecided: 'typical-and-total-disagree' });
    expect(found.blocksToSettle).toBeUndefined();
  });

  it('is not worse either, where the sides are exchanged', () => {
    const mirrored = judged(stalling(20, [3, 11]).map(([before, after]) => [after, before]));
    expect(mirrored).toMatchObject({ verdict: 'inconclusive', undecided: 'typical-and-total-disagree' });
  });

  it('does not end a run that goes on until there is a verdict', () => {
    const { definition } = recordSample({ variants: { without: 1, with: 1 } }).run.experiment;
    const until = { ...definition, protocol: { ...definition.protocol, blocks: 30, until: 'verdict' as const } };
    expect(isEnough(blocksOf(stalling(13, [])), until)).toBe(true);
    expect(isEnough(blocksOf(stalling(13, [3])), until)).toBe(false);
  });
});

it('is said by the check, too, of a candidate that only a later step of Holm finds to differ', () => {
  const gains = Array.from({ length: 20 }, (_, index) =>
    Math.exp(0.01 * (index + 1) * ([1, 2, 4].includes(index) ? -1 : 1)),
  );
  const trials = gains.flatMap((gain, index) => [
    trial('without', index + 1, { tps: 1000 }),
    trial('clear', index + 1, { tps: 1500 + index }),
    trial('with', index + 1, { tps: index < 18 ? 1000 * gain : 100 - index }),
  ]);
  const { comparisons } = compare(trials, { variants: ['without', 'clear', 'with'] });
  const found = comparisons.find(({ candidate, primary }) => primary && candidate.variant === 'with');
  expect(found).toMatchObject({ undecided: 'typical-and-total-disagree', interval: { low: 0 } });
  const facts = { experiment: { definition: { decision } } } as unknown as Parameters<typeof totals.judge>[0];
  const check = totals.judge(facts, { comparison: found } as unknown as Parameters<typeof totals.judge>[1]);
  // As the comparison itself says why it is not decided.
  expect(check?.state).toBe('warn');
});

it('does not wait for the equivalence of a control, which takes no verdict away while it is open', () => {
  const { definition } = recordSample({ variants: { without: 1, with: 1 } }).run.experiment;
  const { without } = definition.variants;
  if (!without) throw new Error('no baseline');
  const until = { ...definition, protocol: { ...definition.protocol, blocks: 30, until: 'verdict' as const } };
  const noisy = blocksOf(stalling(6, [], 1.5)).concat(
    Array.from({ length: 6 }, (_, index) => trial('again', index + 1, { tps: index % 2 === 0 ? 800 : 1250 })),
  );
  const withControl = (some: readonly string[]) => ({
    ...until,
    variants: Object.fromEntries(
      Object.entries({ ...until.variants, again: without }).filter(([name]) => some.includes(name)),
    ),
  });
  expect(isEnough(noisy, withControl(['without', 'with', 'again']))).toBe(true);
  expect(isEnough(noisy, withControl(['without', 'again']))).toBe(false);
});

it('holds by the difference of the means where a share decides', () => {
  const metric = 'latency.withinLimit';
  const trials = Array.from({ length: 12 }, (_, index) => [
    trial('without', index + 1, { [metric]: 0.99 - index * 1e-6, transactions: 1000 }),
    trial('with', index + 1, { [metric]: index === 4 ? 0.5 : 0.993, transactions: 1000 }),
  ]).flat();
  const declared = { ...decision, metric, practicalThreshold: 0.001 };
  expect(comparisonBy(compare(trials, { decision: declared }).comparisons, metric)).toMatchObject({
    verdict: 'inconclusive',
    undecided: 'typical-and-total-disagree',
  });
});

it('is asked against a control, too', () => {
  const trials = stalling(12, []).flatMap(([before, after], index) => [
    trial('without', index + 1, { tps: before * (index === 5 ? 0.1 : 1) }),
    trial('control', index + 1, { tps: before * (1 + 0.001 * Math.cos(index)) }),
    trial('with', index + 1, { tps: index === 5 ? 500 : after }),
  ]);
  const [candidate] = compare(trials, { variants: ['without', 'with', 'control'], controls: ['control'] }).comparisons;
  expect(candidate).toMatchObject({ verdict: 'better' });
  const slower = trials.map((one) =>
    one.conditions.variant === 'with' && one.block === 6 ? { ...one, measures: { tps: 150 } } : one,
  );
  const [now] = compare(slower, { variants: ['without', 'with', 'control'], controls: ['control'] }).comparisons;
  expect(now).toMatchObject({ verdict: 'inconclusive', undecided: 'not-against-the-control' });
  expect(now?.checks).toContainEqual(
    expect.objectContaining({
      name: 'against the control',
      state: 'warn',
      finding: expect.stringMatching(/, but typical and total disagree$/) as string,
    }),
  );
});

it('lets no verdict point away from the sums, whatever was measured, and mirrors with the sides', () => {
  const value = fc.oneof(fc.integer({ min: 900, max: 1100 }), fc.integer({ min: 1, max: 3000 }));
  const opposite: Record<string, string> = { better: 'worse', worse: 'better' };
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { minLength: 6, maxLength: 14 }), (pairs) => {
      const there = judged(pairs);
      const sums = pairs.reduce((all, [before, after]) => all + after - before, 0);
      if (there.verdict === 'better') expect(sums).toBeGreaterThan(0);
      if (there.verdict === 'worse') expect(sums).toBeLessThan(0);
      const back = judged(pairs.map(([before, after]) => [after, before]));
      expect(back.verdict).toBe(opposite[there.verdict ?? ''] ?? there.verdict);
      expect(back.undecided).toBe(there.undecided);
    }),
  );
});

describe('an unqualified "faster"', () => {
  it('is said where the totals with their error leave no loss beyond the threshold', () => {
    expect(answerTo(judged(stalling(12, [])))?.isOfTypical).toBe(false);
  });

  it('is said of the typical block, with the totals beside it, where they do not', () => {
    const found = judged(stalling(30, [3], 1.1));
    expect(found.verdict).toBe('better');
    const pairs = found.pairs.map(({ baseline, candidate }) => ({ baseline, candidate }));
    expect(support(totalsOf(pairs), 1, 0.05)).toBe(true);
    const few = judged(stalling(12, [3], 1.1));
    expect(few.verdict).toBe('better');
    expect(answerTo(few)?.isOfTypical).toBe(true);
  });
});

it('says how often a side may stall although none of its trials did', () => {
  expect([6, 12, 30].map((blocks) => Math.round(1000 * unseenStalls(blocks)))).toEqual([393, 221, 95]);
});

it('foretells no blocks that would settle a direction which the totals contradict', () => {
  const pairs = stalling(8, [3]).map(([baseline, candidate]) => ({ baseline, candidate }));
  const estimate = estimatePaired(pairs, 'ratio', { level: 0.95 });
  const options = { level: 0.95, practicalThreshold: 0.05, exchanges: 0 };
  expect(blocksThatSettle(estimate, estimate.changes, options)).not.toBeNull();
  expect(blocksThatSettle(estimate, estimate.changes, { ...options, totals: totalsOf(pairs) })).toBeNull();
});
