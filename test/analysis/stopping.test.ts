import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { isEnough } from '../../runner/analysis/compare-run.ts';
import { isPreciseEnough, levelAt, looksOf } from '../../runner/analysis/stopping.ts';
import { compare } from '../helpers/samples/compared-blocks.ts';
import { trial, unfinishedTrial } from '../helpers/samples/measured-trial.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';

const { definition } = recordSample({ variants: { one: 1, two: 1, three: 1 } }).run.experiment;
const experiment = (change: Partial<Experiment['protocol']> = {}): Experiment => ({
  ...definition,
  protocol: { ...definition.protocol, blocks: 30, until: 'precision', ...change },
});

/** Blocks of three variants, whose ratios have this spread. */
function trials(blocks: number, spread: number, thirdSpread = spread): Trial[] {
  return Array.from({ length: blocks }, (_, index) => {
    const offset = ((index * 7) % blocks) / blocks - 0.5;
    return [
      trial('one', index + 1, { tps: 100 }),
      trial('two', index + 1, { tps: 100 * (1 + spread * offset) }),
      trial('three', index + 1, { tps: 100 * (1 + thirdSpread * offset) }),
    ];
  }).flat();
}

describe('until verdict', () => {
  const untilVerdict = experiment({ until: 'verdict' });

  it('stops at a look at which every candidate is better, worse or equivalent, and nowhere else', () => {
    expect(isEnough(trials(14, 0.01), untilVerdict)).toBe(true);
    expect(isEnough(trials(15, 0.01), untilVerdict)).toBe(false);
    expect(isEnough(trials(14, 0.01, 0.5), untilVerdict)).toBe(false);
  });

  it('stops at six blocks for a large effect of one candidate', () => {
    const { variants, ...rest } = untilVerdict;
    const { one, two } = variants as Record<'one' | 'two', (typeof variants)[string]>;
    const alone = { ...rest, variants: { one, two } };
    const gained = trials(6, 0.02).map((of) =>
      of.conditions.variant === 'two' ? { ...of, measures: { tps: 1.1 * (of.measures['tps'] ?? NaN) } } : of,
    );
    expect(isEnough(gained, alone)).toBe(true);
    expect(isEnough(gained.slice(0, -3), alone)).toBe(false);
  });

  it('stops however wide an interval is, if it settles the direction', () => {
    const faster = trials(14, 0.5).map((one) =>
      one.conditions.variant === 'one' ? one : { ...one, measures: { tps: 3 * (one.measures['tps'] ?? NaN) } },
    );
    expect(isEnough(faster, untilVerdict)).toBe(true);
    expect(isEnough(faster, experiment())).toBe(false);
  });
});

describe('until precision', () => {
  it('stops at a look whose interval is no wider than the threshold, and nowhere else', () => {
    const { variants, ...rest } = experiment();
    const { one, two } = variants as Record<'one' | 'two', (typeof variants)[string]>;
    const alone = { ...rest, variants: { one, two } };
    expect(isPreciseEnough(trials(8, 0.01), alone)).toBe(true);
    expect(isPreciseEnough(trials(9, 0.01), alone)).toBe(false);
    expect(isPreciseEnough(trials(8, 0.5), alone)).toBe(false);
  });

  it('takes a block without the declared metric for unknown, and stops when the others settle it all the same', () => {
    const { variants, ...rest } = experiment();
    const { one, two } = variants as Record<'one' | 'two', (typeof variants)[string]>;
    const alone = { ...rest, variants: { one, two } };
    const withoutOne = (blocks: number) =>
      trials(blocks, 0.01).map((of) =>
        of.block === 2 && of.conditions.variant === 'two' ? { ...of, measures: {} } : of,
      );
    expect(isPreciseEnough(withoutOne(8), alone)).toBe(false);
    expect(isPreciseEnough(withoutOne(24), alone)).toBe(true);
  });

  it('stops when the last of the candidates is known well enough', () => {
    expect(isPreciseEnough(trials(12, 0.01, 0.5), experiment())).toBe(false);
    expect(isPreciseEnough(trials(12, 0.01), experiment())).toBe(true);
  });

  it('asks that the intervals of several candidates hold at once, which takes more than the eight blocks of one', () => {
    expect(isPreciseEnough(trials(8, 0.01), experiment())).toBe(false);
  });

  it('stops although one of two candidates has a block less, which nothing but the load failed', () => {
    const failure = { stage: 'measure', error: 'no room', outside: 'broken-driver' } as const;
    const missing = trials(12, 0.01).map((one) =>
      one.block === 5 && one.conditions.variant === 'three' ? unfinishedTrial('three', 5, { failure }) : one,
    );
    expect(isPreciseEnough(missing, experiment())).toBe(true);
    expect(isPreciseEnough(missing.slice(0, -3), experiment())).toBe(false);
  });

  it('goes on where a candidate lost a block, until the interval with that block is narrow enough', () => {
    const lost = (blocks: number) =>
      trials(blocks, 0.01).map((one) =>
        one.block === 5 && one.conditions.variant === 'three' ? unfinishedTrial('three', 5) : one,
      );
    expect(isPreciseEnough(lost(12), experiment())).toBe(false);
    expect(isPreciseEnough(lost(24), experiment())).toBe(true);
  });

  it('takes the width that was asked for', () => {
    expect(isPreciseEnough(trials(8, 0.01), experiment({ precision: 0.001 }))).toBe(false);
  });

  it('never stops where all blocks are to be measured', () => {
    expect(isPreciseEnough(trials(8, 0.01), experiment({ until: 'blocks' }))).toBe(false);
    expect(looksOf(experiment({ until: 'blocks' }))).toBeUndefined();
  });

  it('gives the intervals the level of the look, or of the next one after an interruption', () => {
    const { variants, ...rest } = experiment();
    const { one, two } = variants as Record<'one' | 'two', (typeof variants)[string]>;
    const looks = looksOf({ ...rest, variants: { one, two } });
    const intervalAfter = (blocks: number) =>
      compare(trials(blocks, 0.01), {
        variants: ['one', 'two'],
        decision: definition.decision,
        looks,
      }).comparisons.find(({ primary }) => primary)?.interval;
    expect(intervalAfter(8)?.level).toBeCloseTo(0.9921875, 9);
    expect(intervalAfter(12)?.level).toBeCloseTo(looks?.[1]?.level ?? NaN, 9);
    expect(intervalAfter(10)?.level).toBeGreaterThanOrEqual(looks?.[1]?.level ?? NaN);
    // Seven blocks cannot reach the level of the first look.
    expect(intervalAfter(7)).toBeNull();
    expect(levelAt(undefined, 8, 0.95)).toBe(0.95);
  });
});
