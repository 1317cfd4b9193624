import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blocksAtChance, secondsOfBlock, settlingOf } from '../../runner/analysis/settling.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const { protocol, decision } = recordSample({}).run.experiment.definition;
const planned = (practicalThreshold: number) => ({ protocol, decision: { ...decision, practicalThreshold } });

function open(
  change: number,
  blocksToSettle = 100,
): Pick<Comparison, 'blocksToSettle' | 'change' | 'interval' | 'metric'> {
  return { blocksToSettle, change, interval: { low: -0.1, high: 0.1, level: 0.95 }, metric: 'tps' };
}

it('an even chance takes the blocks that the comparison names, and a better one takes more', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -0.5, max: 0.5, noNaN: true }),
      fc.constantFrom(0.001, 0.01, 0.05, 0.2),
      fc.integer({ min: 7, max: 5000 }),
      (change, threshold, blocks) => {
        const found = settlingOf(open(change, blocks), planned(threshold), []).map((one) => one.blocks);
        expect(found[0]).toBe(blocks);
        expect(found.toSorted((a, b) => a - b)).toEqual(found);
        expect(found[2]).toBeGreaterThan(blocks);
      },
    ),
  );
});

it('for a direction, blocks grow as a normal estimate needs them', () => {
  // ((1.9600 + 0.9674) / 1.9600)² = 2.231 for 5 in 6; ((1.9600 + 0.4307) / 1.9600)² = 1.488 for 2 in 3.
  const of = (chance: number): number | null => blocksAtChance(open(0.3, 1000), planned(0.0001), chance);
  expect((of(5 / 6) ?? 0) / 2231).toBeCloseTo(1, 1);
  expect((of(2 / 3) ?? 0) / 1488).toBeCloseTo(1, 1);
});

it('blocks of a crossover are as many for each exchange', () => {
  const crossed = { ...planned(0.05), protocol: { ...protocol, crossover: { exchanges: 3 } } };
  expect((blocksAtChance(open(0.02, 30), crossed, 5 / 6) ?? 1) % 6).toBe(0);
});

it('nothing is said where the blocks for an even chance are not known', () => {
  const { blocksToSettle: _, ...unknown } = open(0.02);
  expect(settlingOf(unknown, planned(0.05), [])).toEqual([]);
});

it('a block takes the time to the start of the next one, whatever a break in mid-run took', () => {
  const at = (block: number, second: number) =>
    trial(
      'a',
      block,
      {},
      {
        startedAt: new Date(second * 1000).toISOString(),
        endedAt: new Date((second + 20) * 1000).toISOString(),
      },
    );
  expect(secondsOfBlock([at(1, 0), at(2, 26), at(3, 52), at(4, 9000), at(5, 9026)])).toBe(26);
  expect(secondsOfBlock([at(1, 0)])).toBe(20);
  expect(secondsOfBlock([])).toBeNull();
});
