import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadSeed } from '../../runner/experiment/plan/draws.ts';

const block = fc.integer({ min: 1, max: 1000 });
const attempt = fc.integer({ min: 1, max: 101 });

it('gives every load of a run a seed of its own, and the variants of a block the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), block, attempt, block, attempt, (seed, a, b, c, d) => {
      const seeds = [
        loadSeed(seed, { block: a, attempt: b }, 'warm-up'),
        loadSeed(seed, { block: a, attempt: b }, 'measure'),
        ...(a === c && b === d ? [] : [loadSeed(seed, { block: c, attempt: d }, 'measure')]),
      ];
      expect(new Set(seeds).size).toBe(seeds.length);
      for (const one of seeds) expect(one).toBe(one >>> 0);
    }),
  );
});
