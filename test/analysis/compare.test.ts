import { describe, expect, it } from 'vitest';
import { countedBlocks } from '../../runner/analysis/pairs.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { reason } from '../../runner/contract/withheld.ts';
import { planLooks } from '../../runner/statistics/sequential.ts';
import { blocksOf, claims, compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { failedCheck, trial, unfinishedTrial } from '../helpers/samples/measured-trial.ts';

describe('blocks', () => {
  const six = [1.3, 1.28, 1.31, 1.35, 1.27, 1.33].map(
    (ratio, index) => [1000 + 50 * index, (1000 + 50 * index) * ratio] as const,
  );

  const seven = [...six, [1300, 1300 * 1.34] as const];
  const withThird = (pairs: readonly (readonly [number, number])[]): Trial[] => [
    ...blocksOf(pairs),
    ...pairs.map(([tps], index) => trial('third', index + 1, { tps: tps / 2 })),
  ];

  it('of six give the exact interval of log-ratios and its exact level', () => {
    const tps = comparisonBy(compare(blocksOf(six)).comparisons, 'tps');
    expect(tps).toMatchObject({ verdict: 'better', scope: 'these-instances', baseline: { n: 6 }, candidate: { n: 6 } });
    expect(tps.interval?.level).toBe(0.96875);
    expect(tps.interval?.low).toBeCloseTo(0.27, 10);
    expect(tps.interval?.high).toBeCloseTo(0.35, 10);
    expect(tps.speedup).toBe(tps.change);
    expect(tps.method).toBe(
      'paired by block: Hodges-Lehmann estimate on log-ratios, exact Wilcoxon signed-rank interval',
    );
  });

  it('are kept with the comparison as the pairs that it used', () => {
    const { pairs } = comparisonBy(compare(blocksOf(six)).comparisons, 'tps');
    const expected = six.map(([baseline, candidate], index) => ({
      block: index + 1,
      attempt: 1,
      baseline,
      candidate,
      change: expect.closeTo(candidate / baseline - 1, 12) as number,
    }));
    expect(pairs).toEqual(expected);
  });

  it('without the declared metric on one side are unknown, as those that a server lost', () => {
    const twelve = [...six, ...six.map(([baseline, candidate]) => [baseline + 7, candidate + 7] as const)];
    const lacking = (blocks: readonly number[]): Trial[] =>
      blocksOf(twelve).map((one) =>
        blocks.includes(one.block) && one.conditions.variant === 'with' ? { ...one, measures: { tps: null } } : one,
      );
    const { comparisons, warnings } = compare(lacking([3, 9]));
    expect(comparisonBy(comparisons, 'tps')).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      unknownPairs: 2,
      baseline: { n: 10 },
      unknownBlocks: [
        { block: 3, reason: 'no-value', trials: [expect.stringContaining('with')], why: 'with measured no tps' },
        { block: 9, reason: 'no-value' },
      ],
    });
    expect(warnings).toHaveLength(1);
    // One unknown block leaves an interval of the others, which is wider.
    const [one, none] = [lacking([3]), lacking([])].map((trials) => comparisonBy(compare(trials).comparisons, 'tps'));
    expect(one).toMatchObject({ verdict: 'better', unknownPairs: 1 });
    expect(one?.interval?.low).toBeLessThan(none?.interval?.low ?? NaN);
  });

  it('are not unknown where none has the declared metric: then there is no answer', () => {
    const trials = blocksOf(six).map((one): Trial => ({ ...one, measures: { tps: null } }));
    const tps = comparisonBy(compare(trials).comparisons, 'tps');
    expect(tps).toMatchObject({ change: null, baseline: { n: 0 } });
    expect(tps.unknownBlocks).toBeUndefined();
  });

  it('of five describe, and say how many are needed', () => {
    const tps = comparisonBy(compare(blocksOf(six.slice(0, 5))).comparisons, 'tps');
    expect(tps).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      baseline: { n: 5 },
      withheld: [{ id: 'too-few-blocks', message: '5 blocks were compared, but a verdict needs 6' }],
    });
    expect(tps.change).toBeCloseTo(0.305, 2);
  });

  it('describe where they cannot reach the level that was declared', () => {
    const strict = { ...decision, level: 0.99 };
    expect(comparisonBy(compare(blocksOf(six), { decision: strict }).comparisons, 'tps')).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      withheld: [{ id: 'too-few-blocks', message: '6 blocks were compared, but a verdict needs 8' }],
    });
  });

  it('before the first look that can have a verdict say how many it takes, and later how many its level takes', () => {
    const looks = planLooks(64, 0.95);
    const withheld = (trials: Trial[]) => comparisonBy(compare(trials, { looks }).comparisons, 'tps').withheld;
    expect(withheld(blocksOf(six))).toMatchObject([
      { id: 'too-few-blocks', message: '6 blocks were compared, but a verdict needs 12' },
    ]);
    const failure = { stage: 'measure', error: 'no room', outside: 'broken-driver' } as const;
    const disturbed = [7, 8, 9, 10, 11, 12].map((block) => unfinishedTrial('with', block, { failure }));
    expect(withheld([...blocksOf(six), ...disturbed])).toMatchObject([
      { id: 'too-few-blocks', message: '6 blocks were compared, but a verdict needs 8' },
    ]);
    // With an unknown block, the first look is too early.
    const lacking = blocksOf(six).map((one) =>
      one.block === 6 && one.conditions.variant === 'with' ? { ...one, measures: { tps: null } } : one,
    );
    const early = compare(lacking, { looks: planLooks(30, 0.95) }).comparisons;
    expect(comparisonBy(early, 'tps').withheld).toMatchObject([
      { id: 'too-few-beside-unknown', message: expect.stringMatching(/ 1[2-9] .* 6/) as string },
    ]);
  });

  it('that were repeated for a reason outside count with the first attempt that is sound, never with halves of two', () => {
    const attempt = (variant: string, tps: number, number: number, state: 'pass' | 'fail' = 'pass') =>
      trial(variant, 7, { tps }, { attempt: number, checks: state === 'pass' ? [] : [failedCheck] });
    const failedTwice = [
      attempt('without', 9, 1),
      unfinishedTrial('with', 7, { failure: { stage: 'measure', error: 'no room', outside: 'broken-driver' } }),
      attempt('without', 10, 2, 'fail'),
      attempt('with', 12, 2),
    ];
    const seventh = (trials: Trial[]) => {
      const sides = { baseline: 'without', candidate: 'with', level: {} };
      const block = countedBlocks([...blocksOf(six), ...trials], sides).counted[6];
      return block && [block.baseline, block.candidate].map(({ measures }) => measures['tps']);
    };
    expect(seventh(failedTwice)).toEqual([10, 12]);
    const valid = [...failedTwice, attempt('without', 11, 3), attempt('with', 13, 3)];
    expect(seventh(valid)).toEqual([11, 13]);
    const withOthers = [...valid, attempt('without', 1, 4), attempt('with', 1, 4)];
    expect(seventh(withOthers)).toEqual([11, 13]);
    expect(seventh(failedTwice.slice(0, 3))).toBeUndefined();
  });

  it('missing altogether leave the declared metric, without numbers', () => {
    expect(compare([]).comparisons).toMatchObject([
      {
        metric: 'tps',
        change: null,
        speedup: null,
        interval: null,
        verdict: 'descriptive',
        baseline: { median: null, n: 0 },
        pairs: [],
      },
    ]);
  });

  it('compare every other variant with the baseline', () => {
    const trials = withThird(seven);
    const { comparisons } = compare(trials, { variants: ['third', 'without', 'with'] });
    expect(comparisons.map(({ candidate, verdict }) => [candidate.variant, verdict])).toEqual([
      ['third', 'worse'],
      ['with', 'better'],
    ]);
  });

  it('of two candidates have intervals that hold at once, and need seven where one needs six', () => {
    const variants = ['without', 'with', 'third'];
    const [enough] = compare(withThird(seven), { variants }).comparisons;
    expect(enough?.interval?.level).toBe(1 - 2 / 2 ** 7);
    for (const comparison of compare(withThird(six), { variants }).comparisons) {
      expect(comparison).toMatchObject({
        verdict: 'descriptive',
        interval: null,
        withheld: [
          { id: 'too-few-blocks', message: '6 blocks were compared, but a verdict among 2 comparisons needs 7' },
        ],
      });
    }
  });

  it('of a control are judged by themselves, outside the family of the candidates', () => {
    const variants = ['without', 'with', 'third'];
    const { comparisons } = compare(withThird(six), { variants, controls: ['third'] });
    expect(
      comparisons.map(({ candidate, verdict, interval }) => [candidate.variant, verdict, interval?.level]),
    ).toEqual([
      ['with', 'better', 0.96875],
      ['third', 'worse', 0.96875],
    ]);
  });

  it('of several levels are compared each among themselves, and judged together', () => {
    const levels = [{ clients: 8 }, { clients: 16 }];
    const at = (pairs: readonly (readonly [number, number])[]) =>
      levels.flatMap((level, place) =>
        pairs.flatMap(([before, after], index) => [
          trial('without', index + 1, { tps: before }, { level }),
          trial('with', index + 1, { tps: after * (1 + place) }, { level }),
        ]),
      );
    const { comparisons } = compare(at(seven), { levels });
    expect(comparisons.map(({ conditions, verdict }) => [conditions, verdict])).toEqual(
      levels.map((level) => [level, 'better']),
    );
    const [few, many] = comparisons.map(({ change }) => change ?? NaN);
    expect(few).toBeCloseTo(0.31, 2);
    expect(many).toBeCloseTo(1.62, 2);
    expect(compare(at(six), { levels }).comparisons.map(({ verdict }) => verdict)).toEqual([
      ...['descriptive', 'descriptive'],
    ]);
  });

  it('have no interval and no verdict where the order was not random', () => {
    const fixed = {
      ...claims,
      drawn: false,
      obstacles: [reason('order-not-random', 'the order is fixed, so drift within a block looks like an')],
    };
    const tps = comparisonBy(compare(blocksOf(six), { claims: fixed }).comparisons, 'tps');
    expect(tps).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      withheld: fixed.obstacles,
      method: 'paired by block: Hodges-Lehmann estimate on log-ratios, no interval: the order was not random',
    });
  });

  it('keep their interval where only the verdict has an obstacle', () => {
    const stopped = { ...claims, obstacles: [reason('ended-early', 'the run ended early')] };
    const tps = comparisonBy(compare(blocksOf(six), { claims: stopped }).comparisons, 'tps');
    expect(tps).toMatchObject({ verdict: 'descriptive', interval: { level: 0.96875 }, withheld: stopped.obstacles });
    expect(tps).not.toHaveProperty('blocksToSettle');
  });
});

describe('contrasts', () => {
  it('compare two candidates block by block, without verdict', () => {
    const trials = [1, 2, 3, 4, 5, 6].flatMap((block) => [
      trial('without', block, { tps: 100 }),
      trial('with', block, { tps: 150 }),
      trial('larger', block, { tps: 200 + block }),
    ]);
    const { comparisons } = compare(trials, {
      variants: ['without', 'with', 'larger'],
      described: [{ baseline: 'larger', candidate: 'with', level: {} }],
    });
    const tps = comparisons.filter(({ metric }) => metric === 'tps');
    expect(tps.map(({ baseline, candidate }) => [baseline.variant, candidate.variant])).toEqual([
      ['without', 'with'],
      ['without', 'larger'],
      ['larger', 'with'],
    ]);
    expect(tps[2]).toMatchObject({ primary: false, verdict: null });
    expect(tps[2]?.interval?.high).toBeLessThan(0);
  });
});
