import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTrials } from '../../runner/analysis/compare.ts';
import { type ComparisonDesign, plannedJudge } from '../../runner/analysis/blocks-needed.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const simple: ComparisonDesign = {
  decision: { level: 0.95, practicalThreshold: 0.05 },
  exchanges: 0,
  widest: null,
  comparisons: 1,
};
const claims = { scope: 'this-machine', sharesMachine: true, replicas: 1, drawn: true, obstacles: [] } as const;

/** What the comparison of measured trials makes of the same log-ratios, without the words for what is lacking. */
function compared(ratios: readonly number[], { decision, exchanges }: ComparisonDesign): string | null | undefined {
  const trials = ratios.flatMap((ratio, index) => {
    const period = 1 + Math.floor((index * 2 * exchanges) / ratios.length);
    return [
      trial('without', index + 1, { tps: 1000 * Math.exp(-ratio / 2) }, { period }),
      trial('with', index + 1, { tps: 1000 * Math.exp(ratio / 2) }, { period }),
    ];
  });
  const { comparisons } = compareTrials({
    trials,
    contrasts: [{ baseline: 'without', candidate: 'with', level: {} }],
    controls: [],
    decision: { ...decision, metric: 'tps' },
    limit: 'time',
    claims: { ...claims, unit: exchanges > 0 ? 'block-pair' : 'block', exchanges, obstacles: [] },
  });
  return comparisons.find(({ metric }) => metric === 'tps')?.verdict;
}

const ratio = fc.integer({ min: -120, max: 120 }).map((value) => value / 1000);
const shift = fc.integer({ min: -60, max: 60 }).map((value) => value / 1000);

describe('a planned comparison', () => {
  it('gets the verdict that measured blocks of these log-ratios get', () => {
    fc.assert(
      fc.property(fc.array(ratio, { minLength: 5, maxLength: 14 }), shift, (noise, effect) => {
        const ratios = noise.map((value) => effect + value / 4);
        expect(plannedJudge(ratios.length, simple)(ratios)).toBe(compared(ratios, simple));
      }),
      { numRuns: 200 },
    );
  });

  it.each([1, 3])('of a crossover of %i exchanges gets the verdict of its pairs', (exchanges) => {
    const design = { ...simple, exchanges };
    const pairsOf = fc.integer({ min: 2, max: 4 }).chain((each) => {
      const length = exchanges === 1 ? 2 * each : 3 * each;
      return fc.array(fc.tuple(ratio, ratio), { minLength: length, maxLength: length });
    });
    fc.assert(
      fc.property(pairsOf, shift, (noise, effect) => {
        const each = noise.length / exchanges;
        // The last block before an exchange makes a pair with the first one behind it.
        const blocks = Array.from({ length: exchanges }, (_, exchange) => {
          const own = noise.slice(exchange * each, (exchange + 1) * each);
          return [...own.map(([before]) => before), ...own.map(([, behind]) => behind).reverse()];
        });
        const pairs = noise.map(([one, other]) => effect + (one + other) / 8);
        const measured = blocks.flat().map((value) => effect + value / 4);
        expect(plannedJudge(measured.length, design)(pairs)).toBe(compared(measured, design));
      }),
      { numRuns: 200 },
    );
  });

  it('with looks stops at the first interval that is narrow enough, and judges what was measured until then', () => {
    const judge = plannedJudge(12, { ...simple, widest: Math.log1p(0.05) });
    const eight = [61, 62, 63, 64, 65, 66, 67, 68].map((value) => value / 1000);
    expect(judge([...eight, -1, -1, -1, -1])).toBe('better');
    const wide = [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4];
    expect(judge([...wide, 0.1, 0.2, 0.3, 0.4])).toBe('inconclusive');
  });

  it('needs more to be settled among several', () => {
    const ratios = [0.06, 0.07, 0.08, 0.09, 0.1, 0.11];
    expect(plannedJudge(6, simple)(ratios)).toBe('better');
    expect(plannedJudge(6, { ...simple, comparisons: 4 })(ratios)).toBe('descriptive');
  });
});
