import { describe, expect, it } from 'vitest';
import { drawBits, drawBlocks, drawOrder, drawShare, loadSeed } from '../../runner/experiment/plan/draws.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { plannedTrials } from '../../runner/contract/plan.ts';
import { replicaAxis } from '../../runner/contract/server.ts';
import { levelsOf } from '../../runner/experiment/plan/design.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import path from 'node:path';

const seeds = 6400;

/** Pearson's statistic of how often each of `cells` outcomes came, and how many standard deviations it is too high. */
function excess(outcomes: readonly string[], cells: number): number {
  const tally = new Map<string, number>();
  for (const outcome of outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  const expected = outcomes.length / cells;
  const counts = [...tally.values(), ...Array.from({ length: cells - tally.size }, () => 0)];
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (statistic - (cells - 1)) / Math.sqrt(2 * (cells - 1));
}

/** Which variant comes first, at each level of each block: one letter for each coin. */
function coinsOf(levels: readonly Readonly<Record<string, string | number>>[], blocks: number, seed: number): string {
  return drawBlocks(() => ['a', 'b'], levels, { blocks, order: 'random', seed }, { order: 'rising' })
    .map((positions) => levels.map((_, index) => positions[2 * index]?.[0]?.variant).join(''))
    .join('');
}

describe('the coins of a plan', () => {
  // Users give seeds such as 1, 2, 3; drawn ones are far apart.
  it.each([
    ['in a row', 1],
    ['far apart', 2_654_435_761 % 2 ** 32],
  ])('are fair for all of block and level at once, for seeds %s', (_, step) => {
    const tables = [
      { levels: [{ clients: 8 }, { clients: 16 }], blocks: 1 },
      { levels: [{ clients: 8 }, { clients: 16 }, { clients: 32 }], blocks: 2 },
      { levels: [{}], blocks: 6 },
      { levels: levelsOf(replicaAxis(6)), blocks: 1 },
    ];
    for (const { levels, blocks } of tables) {
      const coins = Array.from({ length: seeds }, (_, index) => coinsOf(levels, blocks, (index * step) % 2 ** 32));
      expect(excess(coins, 2 ** (levels.length * blocks))).toBeLessThan(5);
    }
  });

  it('are fair for the periods of a crossover together', () => {
    const { experiment } = loadExperiment('dlv-pgbench', {
      folder: path.resolve(import.meta.dirname, '../..'),
      profile: 'crossover',
    });
    const coins = Array.from({ length: 3200 }, (_, seed) => {
      const trials = plannedTrials(
        makePlan({ ...experiment, protocol: { ...experiment.protocol, blocks: 6, seed } }, 'crossover'),
      );
      return Array.from({ length: 6 }, (_, block) =>
        trials.find((trial) => trial.block === block + 1)?.conditions.variant === experiment.baseline ? 'a' : 'b',
      ).join('');
    });
    expect(excess(coins, 64)).toBeLessThan(5);
  });

  it('are fair for the order of the levels and that of the variants together', () => {
    const levels = [{ clients: 8 }, { clients: 16 }];
    const found = Array.from({ length: seeds }, (_, seed) =>
      drawBlocks(() => ['a', 'b'], levels, { blocks: 1, order: 'random', seed })
        .flat(2)
        .map(({ variant, clients }) => `${variant}${clients}`)
        .join(),
    );
    expect(excess(found, 8)).toBeLessThan(5);
  });

  it('are drawn for every block even where an axis has the name of a part of ours', () => {
    const blocks = drawBlocks(() => ['a', 'b'], [{ block: 1, of: 'x' }], { blocks: 40, order: 'random', seed: 1 });
    expect(new Set(blocks.map(([first]) => first?.[0]?.variant)).size).toBe(2);
  });
});

describe('a draw', () => {
  it('is the same for the same parts in any order, and another one for others', () => {
    expect(drawBits(1, { of: 'order', block: 2, clients: 8 })).toBe(drawBits(1, { clients: 8, block: 2, of: 'order' }));
    const others = [
      drawBits(1, { of: 'order', block: 2 }),
      drawBits(1, { of: 'order', block: '2' }),
      drawBits(2, { of: 'order', block: 2 }),
      drawBits(1, { of: 'order', period: 2 }),
      drawBits(1, { of: 'levels', block: 2 }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it('is that of SHA-256, so that other programs can repeat it', () => {
    // printf '[1,["block",2],["of","order"]]' | sha256sum
    expect(drawBits(1, { of: 'order', block: 2 }).toString(16).padStart(8, '0')).toBe('3066927f');
  });

  it('of a share is uniform from 0 to 1', () => {
    const shares = Array.from({ length: seeds }, (_, block) => drawShare(7, { of: 'warm-up', block }));
    expect(
      excess(
        shares.map((share) => String(Math.floor(16 * share))),
        16,
      ),
    ).toBeLessThan(5);
    for (const share of shares) expect(share >= 0 && share < 1).toBe(true);
  });

  it('of an order gives every order alike', () => {
    const orders = Array.from({ length: seeds }, (_, seed) => drawOrder(['a', 'b', 'c'], seed, { of: 'x' }).join(''));
    expect(excess(orders, 6)).toBeLessThan(5);
  });

  it('of loads is another one for each, and does not follow from that of a seed nearby', () => {
    const differences = Array.from({ length: 100 }, (_, seed) => {
      const [one, next] = [seed, seed + 1].map((of) => loadSeed(of, { block: 1, attempt: 1 }, 'measure'));
      return ((next ?? 0) - (one ?? 0)) >>> 0;
    });
    expect(new Set(differences).size).toBe(100);
  });
});
