import { describe, expect, it } from 'vitest';
import { adviceOf, planningCases } from '../../bench/statistics/planning.ts';
import { settlingCases, settlingOf } from '../../bench/statistics/settling.ts';
import { repeats } from '../helpers/repeats.ts';

// The bench simulates 10,000 experiments for each number.
describe('the advice of a pilot', () => {
  it.each(planningCases.filter(({ spread }) => spread === 0.04))(
    'of $pilot blocks is enough in four cases of five, and not far too much: $design',
    (of) => {
      const { needed, enough, advised } = adviceOf(of, repeats(1000, 0.1));
      expect(enough.hits / enough.experiments).toBeGreaterThan(0.77);
      expect(advised / needed).toBeLessThanOrEqual(2.5);
    },
    300_000,
  );
});

describe('the number of blocks that settles a comparison', () => {
  it.each(settlingCases.filter(({ pairs }) => pairs < 10))(
    'is told to within a factor of 1.5: $effect at $spread, $exchanges exchanges',
    (of) => {
      const { truth, estimates } = settlingOf(of, repeats(400, 0.25));
      const median = estimates[estimates.length >> 1] ?? NaN;
      expect(median / truth).toBeGreaterThan(1 / 1.5);
      expect(median / truth).toBeLessThan(1.5);
    },
    300_000,
  );
});
