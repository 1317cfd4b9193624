import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossoverPairs } from '../../runner/analysis/crossover.ts';
import { totalsOf } from '../../runner/analysis/totals.ts';
import { combinePairs } from '../../runner/analysis/units.ts';
import { worthOf } from '../../runner/analysis/worth.ts';
import { isCrossedOver } from '../../runner/contract/plan.ts';
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
    const [before, after] = isCrossedOver(period) ? [second, first] : [first, second];
    return [
      trial('without', index + 1, { tps: before }, { period }),
      trial('with', index + 1, { tps: after * gain }, { period }),
    ];
  }).flat();
}

function compared(trials: readonly Trial[], exchanges: number) {
  const crossed = { ...claims, scope: 'hosts-cancelled', unit: 'block-pair', exchanges } as const;
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
      'paired by block pair: Hodges-Lehmann estimate on log-ratios, exact Wilcoxon signed-rank interval',
    );
  });

  it('of one exchange need twelve for an interval', () => {
    expect(compared(crossedTrials({ exchanges: 1, blocks: 10 }), 1)).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      withheld: [{ id: 'too-few-blocks', message: '5 block pairs were compared, but a verdict needs 6' }],
    });
    expect(compared(crossedTrials({ exchanges: 1, blocks: 2 }), 1)?.withheld).toMatchObject([
      { id: 'too-few-blocks', message: '1 block pair was compared, but a verdict needs 6' },
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
    const values = (blocks: Parameters<typeof crossoverPairs>[0], compared: 'ratio' | 'difference') =>
      crossoverPairs(blocks, compared, 1).map(({ baseline, candidate }) => [baseline, candidate]);
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
    const fewer = compared(crossedTrials({ ...thrice, blocks: 12 }), 3);
    expect(fewer).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      withheld: [
        { id: 'too-few-blocks', message: 'without exchange 1, 4 block pairs were compared, but a verdict needs 6' },
      ],
    });
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
    expect(few?.withheld.map(({ message }) => message).join()).toMatch(/ 17 .* 12 .* 1, .* 6$/);
    // Without either other exchange there are twelve pairs with the unknown one. Without its own, twelve are known.
    const many = compared(lose(crossedTrials({ ...thrice, blocks: 36 }), 36), 3);
    expect(many).toMatchObject({ verdict: 'better', unknownPairs: 1, baseline: { n: 17 } });
    const sound = compared(crossedTrials({ ...thrice, blocks: 36 }), 3);
    expect(many?.interval?.low).toBeLessThan(sound?.interval?.low ?? NaN);
  });

  it('describes a crossover of which every block is unknown by its blocks, each once, and without an interval', () => {
    const restarted = {
      id: 'restart-or-failover',
      name: 'restart or failover',
      state: 'fail',
      finding: 'it restarted',
    } as const;
    const lost = crossedTrials(thrice).map((one): Trial =>
      one.conditions.variant === 'with' ? { ...one, checks: [restarted] } : one,
    );
    const [sound, unknown] = [compared(crossedTrials(thrice), 3), compared(lost, 3)];
    expect(unknown).toMatchObject({ unknownPairs: 9, interval: null, verdict: 'descriptive', candidate: { n: 9 } });
    expect(unknown).toMatchObject({ change: sound?.change, pairs: sound?.pairs });
  });

  it('describes what was seen where each pair has an unknown block, although some blocks count', () => {
    const lost = crossedTrials(once).map((one): Trial =>
      one.period === 1 && one.conditions.variant === 'with'
        ? {
            ...one,
            checks: [
              { id: 'restart-or-failover', name: 'restart or failover', state: 'fail', finding: 'it restarted' },
            ],
          }
        : one,
    );
    const [sound, unknown] = [compared(crossedTrials(once), 1), compared(lost, 1)];
    expect(unknown).toMatchObject({ change: sound?.change, pairs: sound?.pairs });
    expect(unknown).toMatchObject({ unknownPairs: sound?.pairs.length, interval: null, verdict: 'descriptive' });
  });
});

/** The candidate is 12% faster, but loses 80% in two of its trials: 2% more of all trials together. */
const stalledTwice = (): Trial[] =>
  Array.from({ length: 18 }, (_, index) => [
    trial('without', index + 1, { tps: 1000, 'tps.total': 1000 }, { period: 1 + Math.floor(index / 3) }),
    ...[1120 * [2, 13].reduce((factor, stalled) => (stalled === index ? 0.2 : factor), 1)].map((tps) =>
      trial('with', index + 1, { tps, 'tps.total': tps }, { period: 1 + Math.floor(index / 3) }),
    ),
  ]).flat();

describe('totals of a crossover', () => {
  const total = 1.12 * (1 - (2 * 0.8) / 18) - 1;
  const crossed = { ...claims, scope: 'hosts-cancelled', unit: 'block-pair', exchanges: 3 } as const;
  const { comparisons } = compare(stalledTwice(), { claims: crossed });
  const by = (name: string) => comparisons.find(({ metric }) => metric === name);

  it('are those of all its trials, although a pair has the geometric mean of two', () => {
    const { pairs = [] } = by('tps') ?? {};
    expect(pairs).toHaveLength(9);
    expect(totalsOf(pairs)?.change).toBeCloseTo(total, 12);
    expect(pairs[0]).toMatchObject({ means: { baseline: 1000, candidate: 1120 } });
  });

  it('are the change of a metric that is compared by its totals', () => {
    expect(by('tps.total')?.change).toBeCloseTo(total, 12);
    expect(by('tps.total')?.candidate.value).toBeCloseTo(1000 * (1 + total), 9);
    expect(by('tps.total')?.pairs[0]).not.toHaveProperty('means');
  });

  it('are what a price is made from', () => {
    const cost = (dollars: number) => ({
      dollarsPerMonth: { low: dollars, high: dollars },
      parts: [{ what: 'x', unit: 'x', logVolume: false, dollarsPerMonth: { low: dollars, high: dollars } }],
    });
    const variants = [
      { name: 'without', cost: cost(1000) },
      { name: 'with', cost: cost(1100) },
    ] as unknown as Parameters<typeof worthOf>[1];
    const [worth] = worthOf(comparisons, variants);
    expect(worth?.throughput.value).toBeCloseTo(total, 12);
    expect(worth?.tpsPer100?.value).toBeCloseTo(1000 * total, 9);
  });
});

it('totals of several pairs of instances are those of all their trials, too', () => {
  const value = fc.integer({ min: 1, max: 3000 });
  const pair = fc.tuple(value, value);
  const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(pair, pair), { minLength: 6, maxLength: 9 }),
      fc.constantFrom('block' as const, 'instance-pair' as const),
      (drawn, unit) => {
        const read = drawn.flatMap((both, index) =>
          both.map(([baseline, candidate], replica) => ({
            trials: [{ block: index + 1, attempt: 1, replica: replica + 1 }],
            period: 1,
            baseline,
            candidate,
          })),
        );
        const { pairs } = combinePairs(read, 'ratio', { unit, exchanges: 0 });
        const ratio = sumOf(read.map((one) => one.candidate)) / sumOf(read.map((one) => one.baseline));
        expect(totalsOf(pairs)?.change).toBeCloseTo(ratio - 1, 9);
      },
    ),
  );
});
