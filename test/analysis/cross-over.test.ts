import { describe, expect, it } from 'vitest';
import { crossOver } from '../../runner/analysis/cross-over.ts';
import { isExchanged } from '../../runner/contract/plan.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { claims, compare } from '../helpers/samples/compared-blocks.ts';
import { failedCheck, trial } from '../helpers/samples/measured-trial.ts';

interface Crossed {
  exchanges: number;
  blocks: number;
  /** How much faster the second instance is than the first one, in each block. @default half as fast again */
  hosts?: (block: number) => number;
  gain?: number;
}

/** By default the candidate gains a tenth. */
function crossedTrials({ exchanges, blocks, hosts = () => 1.5, gain = 1.1 }: Crossed): Trial[] {
  return Array.from({ length: blocks }, (_, index) => {
    const period = 1 + Math.floor((index * 2 * exchanges) / blocks);
    const [first, second] = [1000 + ((index * 37) % 11), (1000 + ((index * 53) % 13)) * hosts(index + 1)];
    const [before, after] = isExchanged(period) ? [second, first] : [first, second];
    return [
      trial('without', index + 1, { tps: before }, { period }),
      trial('with', index + 1, { tps: after * gain }, { period }),
    ];
  }).flat();
}

function compared(trials: readonly Trial[], exchanges: number) {
  const crossed = { ...claims, scope: 'hosts-cancelled', unit: 'pair of blocks', exchanges } as const;
  return compare(trials, { claims: exchanges > 0 ? crossed : claims }).comparisons.find(({ primary }) => primary);
}

const once = { exchanges: 1, blocks: 12 };
const thrice = { exchanges: 3, blocks: 18 };

describe('blocks of a crossover', () => {
  it('cancel out what sets the two instances apart', () => {
    const comparison = compared(crossedTrials(once), 1);
    expect(comparison?.change).toBeCloseTo(0.1, 2);
    expect((comparison?.interval?.high ?? NaN) - (comparison?.interval?.low ?? NaN)).toBeLessThan(0.02);
    expect(comparison).toMatchObject({ scope: 'hosts-cancelled', verdict: 'better', baseline: { n: 6 } });
    expect(comparison?.method).toBe(
      'paired by pair of blocks: Hodges-Lehmann estimate on log-ratios, exact Wilcoxon signed-rank interval',
    );
  });

  it('of one exchange need twelve for an interval', () => {
    expect(compared(crossedTrials({ exchanges: 1, blocks: 10 }), 1)).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      withheld: ['5 pairs of blocks were compared, but a verdict takes 6'],
    });
    expect(compared(crossedTrials({ exchanges: 1, blocks: 10 }), 1)?.method).toContain(
      'no interval: 5 complete pairs of blocks, and 6 are needed',
    );
    expect(compared(crossedTrials({ exchanges: 1, blocks: 2 }), 1)?.withheld).toEqual([
      '1 pair of blocks was compared, but a verdict takes 6',
    ]);
  });

  it('taken one by one speak of the instances only, and are far apart', () => {
    const comparison = compared(crossedTrials(once), 0);
    expect(comparison?.scope).toBe('these-instances');
    expect((comparison?.interval?.high ?? NaN) - (comparison?.interval?.low ?? NaN)).toBeGreaterThan(0.3);
  });

  it('are kept two to a pair, each with the attempt that counts', () => {
    const repeated = [
      ...crossedTrials({ exchanges: 1, blocks: 4 }).map((one) =>
        one.block === 3 ? { ...one, checks: [failedCheck] } : one,
      ),
      trial('without', 3, { tps: 400 }, { period: 2, attempt: 2 }),
      trial('with', 3, { tps: 900 }, { period: 2, attempt: 2 }),
    ];
    const pairs = compared(repeated, 1)?.pairs ?? [];
    expect(pairs).toMatchObject([
      { blocks: [1, 4], attempts: [1, 1] },
      { blocks: [2, 3], attempts: [1, 2], baseline: expect.closeTo(Math.sqrt(1004 * 400), 9) as number },
    ]);
    expect(pairs[0]).not.toHaveProperty('block');
    expect(pairs[0]).not.toHaveProperty('exchange');
  });

  it('without a partner do not count; values that may be zero are averaged', () => {
    const of = (period: number, baseline: number, candidate: number) => ({ trials: [], period, baseline, candidate });
    const values = (blocks: Parameters<typeof crossOver>[0], compared: 'ratio' | 'difference') =>
      crossOver(blocks, compared, 1).map(({ baseline, candidate }) => [baseline, candidate]);
    expect(values([of(1, 1, 1), of(1, 4, 9), of(2, 9, 4)], 'ratio')).toEqual([[6, 6]]);
    expect(values([of(1, 0, 0.2), of(2, 0.1, 0.4)], 'ratio')).toEqual([[0.05, expect.closeTo(0.3, 12)]]);
    expect(values([of(1, 4, 9), of(2, 9, 4)], 'difference')).toEqual([[6.5, 6.5]]);
  });
});

describe('a crossover of three exchanges', () => {
  it('pairs the blocks next to each exchange, the nearest first', () => {
    const pairs = compared(crossedTrials(thrice), 3)?.pairs ?? [];
    expect(pairs.map(({ exchange, blocks }) => [exchange, ...(blocks ?? [])])).toEqual([
      ...[
        [1, 1, 6],
        [1, 2, 5],
        [1, 3, 4],
      ],
      ...[
        [2, 7, 12],
        [2, 8, 11],
        [2, 9, 10],
      ],
      ...[
        [3, 13, 18],
        [3, 14, 17],
        [3, 15, 16],
      ],
    ]);
  });

  it('cancels the hosts out, and needs the pairs of two exchanges for its interval', () => {
    const comparison = compared(crossedTrials(thrice), 3);
    expect(comparison).toMatchObject({ verdict: 'better', baseline: { n: 9 }, interval: { level: 0.96875 } });
    expect(comparison?.change).toBeCloseTo(0.1, 2);
    expect(comparison?.method).toContain('interval, the widest without the pairs of any one exchange');
    const fewer = compared(crossedTrials({ ...thrice, blocks: 12 }), 3);
    expect(fewer).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      withheld: ['without exchange 1, 4 pairs of blocks were compared, but a verdict takes 6'],
    });
    expect(fewer?.method).toContain('no interval: without exchange 1, 4 complete pairs of blocks, and 6 are needed');
  });

  it('that ended behind its first exchange has no interval, however many pairs there are', () => {
    const trials = crossedTrials({ ...thrice, blocks: 48 }).filter(({ block }) => block <= 16);
    expect(compared(trials, 3)).toMatchObject({ verdict: 'descriptive', interval: null, baseline: { n: 8 } });
    expect(compared(trials, 1)).toMatchObject({ verdict: 'better' });
  });

  it.each([1, 4, 7, 10, 15])('holds though a host loses a third from block %i on', (from) => {
    const hosts = (block: number): number => (block >= from ? 1 : 1.5);
    const interval = compared(crossedTrials({ ...thrice, hosts, gain: 1 }), 3)?.interval;
    expect(interval?.low).toBeLessThan(0.001);
    expect(interval?.high).toBeGreaterThan(-0.001);
  });

  it('judges what one exchange alone says to be settled as open', () => {
    // The host changes in front of the exchange, so that all of its pairs are false.
    const changed = crossedTrials({ ...once, hosts: (block) => (block > 6 ? 1 : 1.5), gain: 1 });
    expect(compared(changed, 1)?.verdict).toBe('better');
    const inThree = crossedTrials({ ...thrice, hosts: (block) => (block > 9 ? 1 : 1.5), gain: 1 });
    expect(compared(inThree, 3)?.verdict).toBe('inconclusive');
  });

  it('knows the exchange of an unknown pair, which is not unknown where that exchange is left out', () => {
    const lose = (trials: Trial[], block: number): Trial[] =>
      trials.map((one) =>
        one.block === block && one.conditions.variant === 'with'
          ? { ...one, state: 'failed', measures: {}, failure: { stage: 'measure', error: 'the server ended' } }
          : one,
      );
    const few = compared(lose(crossedTrials(thrice), 17), 3);
    expect(few).toMatchObject({ unknownPairs: 1, unknownExchanges: [3], interval: null, verdict: 'descriptive' });
    expect(few?.withheld.join()).toMatch(
      /block 17 is unknown .*: a verdict then takes 12 pairs of blocks, but without exchange 1, there are 6$/,
    );
    // Without either other exchange there are twelve pairs with the unknown one. Without its own, twelve are known.
    const many = compared(lose(crossedTrials({ ...thrice, blocks: 36 }), 36), 3);
    expect(many).toMatchObject({ verdict: 'better', unknownPairs: 1, baseline: { n: 17 } });
    const sound = compared(crossedTrials({ ...thrice, blocks: 36 }), 3);
    expect(many?.interval?.low).toBeLessThan(sound?.interval?.low ?? NaN);
  });

  it('describes a crossover of which every block is unknown by its blocks, each once, and without an interval', () => {
    const restarted = { name: 'restart or failover', state: 'fail', finding: 'it restarted' } as const;
    const lost = crossedTrials(thrice).map((one): Trial =>
      one.conditions.variant === 'with' ? { ...one, checks: [restarted] } : one,
    );
    const [sound, unknown] = [compared(crossedTrials(thrice), 3), compared(lost, 3)];
    expect(unknown).toMatchObject({ unknownPairs: 9, interval: null, verdict: 'descriptive', candidate: { n: 9 } });
    expect(unknown).toMatchObject({ change: sound?.change, pairs: sound?.pairs });
    expect(unknown?.method).toMatch(/no interval: without exchange 1, 6 of 6 pairs of blocks are unknown/);
    expect(unknown?.withheld.join()).toMatch(/but without exchange 1, there are 6$/);
  });

  it('describes what was seen where each pair has an unknown block, although some blocks count', () => {
    const lost = crossedTrials(once).map((one): Trial =>
      one.period === 1 && one.conditions.variant === 'with'
        ? { ...one, checks: [{ name: 'restart or failover', state: 'fail', finding: 'it restarted' }] }
        : one,
    );
    const [sound, unknown] = [compared(crossedTrials(once), 1), compared(lost, 1)];
    expect(unknown).toMatchObject({ change: sound?.change, pairs: sound?.pairs });
    expect(unknown).toMatchObject({ unknownPairs: sound?.pairs.length, interval: null, verdict: 'descriptive' });
  });
});
