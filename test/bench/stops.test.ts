import { describe, expect, it } from 'vitest';
import { countLossy, countVetoed } from '../../bench/statistics/stops.ts';

const share = ({ hits, experiments }: { hits: number; experiments: number }): number => hits / experiments;

describe('blocks whose outcome somebody decided', () => {
  it.each([0, 2, 6, 12])('make no false verdict more likely, with %i vetoes', (vetoes) => {
    // Nominal: 2.5% on one side, and four standard errors of 200 experiments.
    expect(share(countVetoed(6, vetoes, 200))).toBeLessThan(0.07);
  });

  it('make false verdicts more likely where somebody has blocks measured again on purpose, unless nothing is repeated', () => {
    expect(share(countVetoed(6, 0, 200, 'disturbed'))).toBeLessThan(0.07);
    expect(share(countVetoed(6, 6, 200, 'disturbed'))).toBeGreaterThan(0.2);
  });

  it('leave no equivalence with a side that stalls in one trial of five, but where none was lost', () => {
    const lossy = countLossy('baseline', 0.2, { blocks: 10, experiments: 200 });
    // No loss in ten blocks has a chance of 10.7%.
    expect(share(lossy('equivalent'))).toBeLessThan(0.2);
  });

  it('leave no verdict of better for a candidate that crashes in one trial of four', () => {
    expect(share(countLossy('candidate', 0.25, { blocks: 10, experiments: 200 })('better'))).toBeLessThan(0.07);
  });
});
