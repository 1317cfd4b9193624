import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import { isEnough } from '../../runner/analysis/compare-run.ts';
import { futile, outlookOf as outlookAt } from '../../runner/analysis/outlook.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import type { Measures } from '../../runner/contract/metric.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { trial } from '../helpers/samples/measured-trial.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';

const experiment = (variants: string[], change: Partial<Experiment['protocol']> = {}): Experiment => {
  const { definition } = recordSample({ variants: Object.fromEntries(variants.map((name) => [name, 1])) }).run
    .experiment;
  return { ...definition, protocol: { ...definition.protocol, blocks: 6, until: 'verdict', ...change } };
};
/** Of servers on the machine of the load. */
const outlookOf = (trials: readonly Trial[], of: Experiment) => outlookAt(trials, of, { sharesMachine: true });
const two = experiment(['one', 'two']);
const thirty = experiment(['one', 'two'], { blocks: 30 });

/** Blocks in which `two` has these changes. */
const blocksWith = (changes: readonly number[], measures: { one?: Measures; two?: Measures } = {}): Trial[] =>
  changes.flatMap((change, index) => [
    trial('one', index + 1, { tps: 100, ...measures.one }),
    trial('two', index + 1, { tps: 100 * (1 + change), ...measures.two }),
  ]);

describe('the outlook of a run', () => {
  it('is bleak as soon as six blocks cannot all point to one side, and says which change they can show', () => {
    expect(outlookOf(blocksWith([0.2, -0.15]), two)).toBeNull();
    const outlook = outlookOf(blocksWith([0.2, -0.15, 0.05]), two);
    expect(outlook).toMatchObject({ chance: 0 });
    expect(outlook?.words).toMatch(
      /^About a \d\d% change can be seen in 6 blocks that vary like these; so far the difference is \d%\.$/,
    );
  });

  it('is open while an effect may show, or while blocks enough are left', () => {
    expect(outlookOf(blocksWith([0.5, 0.4, 0.55]), two)).toBeNull();
    expect(outlookOf(blocksWith([0.2, -0.15, 0.05]), thirty)).toBeNull();
    // Equal variants that hardly vary end as equivalent.
    expect(outlookOf(blocksWith([0.01, -0.01, 0.002]), two)).toBeNull();
  });

  it('allows an end only where a verdict is planned, after six blocks at the earliest', () => {
    const noisy = [0.4, -0.35, 0.3, -0.3, 0.38, -0.36, 0.34, -0.33, 0.35, -0.37, 0.31];
    const at = (blocks: number) =>
      outlookOf(blocksWith(noisy.slice(0, blocks)), experiment(['one', 'two'], { blocks: 12 }));
    expect([3, 4, 5].map((blocks) => at(blocks)?.mayEnd ?? false)).toEqual([false, false, false]);
    expect(at(9)).toMatchObject({ mayEnd: true });
    expect(at(10)).toMatchObject({ mayEnd: false });
    expect(outlookOf(blocksWith([0.2, -0.15, 0.05]), two)).toMatchObject({ chance: 0, mayEnd: false });
  });

  it('is that of the likeliest of several variants, and leaves out those that are settled', () => {
    const three = experiment(['one', 'two', 'three'], { blocks: 7 });
    const blocks = (third: readonly number[]): Trial[] => [
      ...blocksWith([0.2, -0.15, 0.05]),
      ...third.map((change, index) => trial('three', index + 1, { tps: 100 * (1 + change) })),
    ];
    expect(outlookOf(blocks([0.5, 0.52, 0.48]), three)).toBeNull();
    expect(outlookOf(blocks([0.5, -0.4, 0.1]), three)?.words).toMatch(/^(two|three): About a /);
  });

  it('counts what other programs can explain', () => {
    const beside = { 'driver.others': 0.4, 'driver.own': 0.55, 'driver.awake': 1 };
    expect(outlookOf(blocksWith([0.5, 0.52, 0.48]), two)).toBeNull();
    const outlook = outlookOf(blocksWith([0.5, 0.52, 0.48], { one: beside }), two);
    expect(outlook).toMatchObject({ chance: 0 });
    expect(outlook?.words).toMatch(
      /^About [\d.]+ times as much can be seen .* can explain up to .* as much\. Stop them, or wait for a quiet machine/,
    );
  });

  it('does not name a change that can be seen where other programs hide more than the threshold', () => {
    const beside = { 'driver.others': 0.2, 'driver.own': 0.05, 'driver.awake': 1 };
    const changes = [0.001, -0.001, 0.002, -0.0015, 0.0005, -0.0008];
    const outlook = outlookOf(
      blocksWith(changes, { one: beside, two: beside }),
      experiment(['one', 'two'], { blocks: 12 }),
    );
    expect(outlook?.words).toMatch(
      /^Other programs can hide that one is up to \d\d% more than the other, so more blocks cannot show that the variants are equivalent; so far the difference is [\d.]+%\. Stop them,/,
    );
    expect(outlook?.words).not.toContain('can be seen');
    const elsewhere = outlookAt(
      blocksWith(changes, { one: beside, two: beside }),
      experiment(['one', 'two'], { blocks: 12 }),
      { sharesMachine: false },
    );
    expect(elsewhere).toBeNull();
  });

  it('is not asked where blocks do not decide by ratios, or have ended', () => {
    expect(outlookOf(blocksWith([0.2, -0.15, 0.05]), experiment(['one', 'two'], { until: 'precision' }))).toBeNull();
    expect(outlookOf(blocksWith([0.2, -0.15, 0.05]), experiment(['one', 'two'], { order: 'fixed' }))).toBeNull();
    expect(outlookOf(blocksWith([0.2, -0.15, 0.05, 0.1, -0.1, 0.1]), two)).toBeNull();
    expect(outlookOf(blocksWith([0.2, -0.15, 0.05]), experiment(['one', 'two'], { until: 'blocks' }))).not.toBeNull();
  });
});

describe('a run that stops for futility', () => {
  const generator = xoroshiro128plus(20261128);
  const normal = (): number => normalVariate(() => uniformFloat64(generator));

  /** How runs of at most eight blocks end with and without the rule: after how many blocks, and whether settled. */
  function endsOf(effect: number, spread: number) {
    const of = experiment(['one', 'two'], { blocks: 8 });
    const blocks = blocksWith(Array.from({ length: 8 }, () => Math.expm1(effect + spread * normal())));
    let stopped: number | null = null;
    for (let count = 1; count <= 8; count++) {
      const observed = blocks.slice(0, 2 * count);
      if (isEnough(observed, of)) return { isSettled: true, stopped, blocks: count };
      const outlook = outlookOf(observed, of);
      if (outlook?.mayEnd && outlook.chance <= futile) stopped ??= count;
    }
    return { isSettled: false, stopped, blocks: 8 };
  }

  it('hardly ever gives up an answer, and saves blocks where there is none', () => {
    const runs = Array.from({ length: 15 }, () => [endsOf(0.25, 0.2), endsOf(0, 0.3)]).flat();
    const givenUp = runs.filter(({ isSettled, stopped }) => isSettled && stopped !== null);
    expect(givenUp.length).toBeLessThanOrEqual(1);
    const withoutAnswer = runs.filter(({ isSettled }) => !isSettled);
    const saved = withoutAnswer.filter(({ stopped }) => stopped !== null && stopped < 8);
    expect(saved.length).toBeGreaterThan(0.5 * withoutAnswer.length);
  });
});
