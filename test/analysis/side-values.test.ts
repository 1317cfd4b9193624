import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compare } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const metric = 'latency.withinLimit';

/** The two values that each candidate's change compares, of blocks in which the variants had these shares. */
function valuesOf(blocks: readonly (readonly (number | null)[])[]) {
  const variants = ['without', 'one', 'two', 'three'].slice(0, blocks[0]?.length);
  const trials = blocks.flatMap((shares, index) =>
    variants.map((variant, place) => trial(variant, index + 1, { [metric]: shares[place] ?? null })),
  );
  const { comparisons } = compare(trials, { variants, decision: { metric, practicalThreshold: 0.01, level: 0.95 } });
  return comparisons
    .filter((comparison) => comparison.metric === metric && comparison.baseline.variant === 'without')
    .map(({ baseline, candidate, change }) => ({ before: baseline.value, after: candidate.value, change }));
}

it('keeps shares of several candidates between 0 and 1, and their changes what they are', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(share, share, share, share), { minLength: 1, maxLength: 9 }), (blocks) => {
      const found = valuesOf(blocks);
      expect(found).toHaveLength(3);
      for (const { before, after, change } of found) {
        for (const value of [before, after]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
        expect((after ?? NaN) - (before ?? NaN)).toBeCloseTo(change ?? NaN, 12);
      }
    }),
    { numRuns: 300, seed: 27 },
  );
});

it('gives the baseline one value for all candidates, but where a share would leave 0 to 1', () => {
  const [one, two] = valuesOf([
    [0.9, 0.95, 1],
    [0.9, 0.95, 1],
  ]);
  expect(one?.before).toBe(two?.before);
  // No share is 60 points below the one candidate and 60 points above the other.
  const apart = valuesOf([
    [0.4, 1, null],
    [0.6, null, 0],
  ]);
  expect(apart.map(({ before, after }) => [before, after])).toEqual([
    [0.4, 1],
    [0.6, 0],
  ]);
});
