import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Variation } from '../../runner/contract/robustness.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { viewRobustness } from '../../runner/report/sections/robustness.ts';

const sample = await sampleResult({ variants: { base: 1, fast: 1.3 }, blocks: 8 });
const [robustness] = sample.robustness ?? [];
if (!robustness) throw new Error('the sample has an answer in other ways');
const { variations: _, ...of } = robustness;

const planned: Variation = { way: 'planned', change: 0.3, interval: { low: 0.2, high: 0.4, level: 0.99 }, pairs: 8 };
const leaveOneOut: Variation = {
  way: 'leave-one-out',
  change: 0.25,
  interval: null,
  pairs: 7,
  changes: [0.3, 0.31, 0.3, 0.3, 0.25, 0.3, 0.3, 0.29],
  leftOut: '5',
};

function viewOf(variations: readonly Variation[], verdict: Comparison['verdict'] = 'better') {
  const comparisons = sample.comparisons.map((one) => (one.primary ? { ...one, verdict } : one));
  const [view] = viewRobustness({ ...sample, comparisons, robustness: [{ ...of, variations: [...variations] }] });
  return { names: view?.rows.map(({ name, words }) => `${name}: ${words.join('  ')}`), sentence: view?.sentence };
}

describe('whether the answer depends on how it is computed', () => {
  it('shows and counts an estimate without a single outlier once', () => {
    const outlier: Variation = { way: 'without-outlier', change: 0.25, interval: null, pairs: 7, leftOut: '5' };
    expect(viewOf([planned, outlier, leaveOneOut])).toEqual({
      names: [
        'As planned: +30.0 %  20 to 40 %',
        'Without the outlier, block 5: +25.0 %',
        'Without each other block in turn: +29.0 % to +31.0 %',
      ],
      sentence:
        'Computed in two other ways, the change lies between +25.0 % and +31.0 %, always on the same side of zero.',
    });
  });

  it('says how many blocks a way could use, and names the block that matters most', () => {
    const during: Variation = { way: 'during-checkpoints', change: 0.28, interval: null, pairs: 5 };
    expect(viewOf([planned, during, leaveOneOut]).names?.slice(1)).toEqual([
      'In seconds with a checkpoint throughout (5 of 8 blocks): +28.0 %',
      'Without each block in turn (moved most without 5): +25.0 % to +31.0 %',
    ]);
  });

  it('says of all ways what the verdict says, and nothing more', () => {
    const all = 'Computed in one other way, the change lies between';
    const small = { ...leaveOneOut, changes: [0.02, -0.01, 0.03] };
    const large = { ...leaveOneOut, changes: [0.02, -0.01, 0.09] };
    const same = { ...planned, change: 0.01 };
    expect(viewOf([same, small], 'inconclusive').sentence).toBe(`${all} −1.0 % and +3.0 %.`);
    expect(viewOf([same, small], 'equivalent').sentence).toBe(`${all} −1.0 % and +3.0 %, always within ±5 %.`);
    expect(viewOf([same, large], 'equivalent').sentence).toBe(
      `${all} −1.0 % and +9.0 %: it is not within ±5 % without each block in turn (moved most without 5).`,
    );
    expect(viewOf([same, small], 'worse').sentence).toBe(
      `${all} −1.0 % and +3.0 %: it is not on the same side of zero without each block in turn (moved most without 5).`,
    );
  });
});
