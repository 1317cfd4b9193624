import { describe, expect, it } from 'vitest';
import { changeRange, movedWords } from '../../runner/contract/format-change.ts';
import { changesOf } from '../../runner/metrics/catalogue.ts';
import { ratioWords } from '../../runner/report/metric-words.ts';

describe('a large change', () => {
  it.each([
    [105.24, [98, 111], '106 times', '99 to 112 times'],
    [3, [2.5, 3.5], '4 times', '3.5 to 4.5 times'],
    [-0.9906, [-0.9911, -0.9899], '1/106', '1/112 to 1/99'],
    [-0.75, [-0.8, -0.4], '1/4', '1/5 to 0.6 times'],
  ] as const)('of %d is said as a multiple', (change, [low, high], size, range) => {
    const sizes = changesOf('tps', change);
    expect([sizes.isMultiple, sizes.size(change), sizes.range(low, high)]).toEqual([true, size, range]);
  });

  it.each([2.99, -0.74, 0, -1, null])('is none at %d, and stays in percent', (change) => {
    expect(changesOf('tps', change).isMultiple).toBe(false);
  });

  it('of a share stays in points', () => {
    expect(changesOf('latency.withinLimit', 5).isMultiple).toBe(false);
  });

  it('is said alike by checks', () => {
    expect([movedWords(52), movedWords(-0.9)]).toEqual(['rose to 53 times as much', 'fell to 1/10 as much']);
    expect(changeRange({ low: -0.998, high: -0.99 })).toBe('1/500 to 1/100');
    expect(changeRange({ low: -0.001, high: 0.037 })).toBe('−0.1% to +3.7%');
  });

  it('is said alike in lists of relative changes', () => {
    const words = [52, -0.998, 0.31, null].map((change) => ratioWords(change));
    expect(words).toEqual(['53 times', '1/500', '+31.0%', '–']);
  });
});
