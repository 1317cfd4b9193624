import { estimatePaired } from '../../runner/analysis/estimate.ts';
import type { ValuesOfPair } from '../../runner/analysis/side-values.ts';
import { blocksThatSettle } from '../../runner/analysis/verdict.ts';
import { simultaneousLevel } from '../../runner/statistics/exact-interval.ts';
import { verdictOn } from './designs.ts';
import { normalNoise, type Random, seededRandom } from './noise.ts';
import { simulateBlocks } from './experiments.ts';
import type { Table } from './table.ts';

const practicalThreshold = 0.05;

/** Inconclusive experiments with this many pairs. A pair has one block, or two in a crossover. */
export interface SettlingCase {
  pairs: number;
  /** Of a crossover; 0 without one. */
  exchanges: number;
  /** Comparisons that are judged together. */
  comparisons: number;
  /** True relative change. */
  effect: number;
  /** True standard deviation of the log-ratio of a pair. */
  spread: number;
}

const plain = { exchanges: 0, comparisons: 1 } as const;
const crossed = { exchanges: 1, comparisons: 1 } as const;
const thrice = { exchanges: 3, comparisons: 1 } as const;

// prettier-ignore
export const settlingCases: SettlingCase[] = [
  { ...plain, pairs: 6, effect: 0, spread: 0.05 },
  { ...plain, pairs: 6, effect: 0.025, spread: 0.05 },
  { ...plain, pairs: 6, effect: 0.05, spread: 0.06 },
  { ...plain, pairs: 6, effect: 0.1, spread: 0.12 },
  { ...plain, pairs: 10, effect: 0, spread: 0.08 },
  { ...plain, pairs: 10, effect: 0.025, spread: 0.08 },
  { ...plain, pairs: 10, effect: 0.05, spread: 0.08 },
  { ...plain, pairs: 10, effect: 0.1, spread: 0.12 },
  { ...plain, pairs: 20, effect: 0.025, spread: 0.12 },
  { ...plain, pairs: 20, effect: 0.05, spread: 0.12 },
  { ...plain, pairs: 10, comparisons: 4, effect: 0.025, spread: 0.08 },
  { ...crossed, pairs: 6, effect: 0, spread: 0.08 },
  { ...crossed, pairs: 6, effect: 0.05, spread: 0.06 },
  { ...crossed, pairs: 10, effect: 0.025, spread: 0.08 },
  { ...thrice, pairs: 9, effect: 0, spread: 0.06 },
  { ...thrice, pairs: 9, effect: 0.05, spread: 0.06 },
  { ...thrice, pairs: 12, effect: 0.025, spread: 0.08 },
];

/**
 * Simulates inconclusive experiments, and continues each: the truth is the number of blocks in all at which half of
 * them are settled.
 */
export function benchSettling(experiments = 10_000): Table {
  return {
    title: '**Blocks in all that settle an inconclusive comparison** (threshold 5%; the middle 80% in brackets)',
    head: [
      'blocks so far',
      'comparisons',
      'true change',
      'spread of a pair',
      'blocks that settle half',
      'report says, median',
    ],
    rows: settlingCases.map((of) => {
      const { truth, estimates } = settlingOf(of, experiments);
      const at = (share: number) => estimates[Math.floor(share * (estimates.length - 1))] ?? NaN;
      return [
        of.exchanges === 0 ? String(of.pairs) : `${2 * of.pairs}, crossover of ${of.exchanges}`,
        String(of.comparisons),
        `+${of.effect * 100}%`,
        `${of.spread * 100}%`,
        String(truth),
        `${at(0.5)} (${at(0.1)} to ${at(0.9)})`,
      ];
    }),
  };
}

/** `estimates` is in ascending order; a report that names no number counts as Infinity. */
export function settlingOf(
  of: SettlingCase,
  experiments: number,
  tell: (pairs: readonly ValuesOfPair[], of: SettlingCase, level: number) => number | null = tellNow,
): { truth: number; estimates: number[] } {
  const random = seededRandom(of.pairs);
  const level = simultaneousLevel(0.95, of.comparisons);
  const verdictOf = (pairs: readonly ValuesOfPair[]) =>
    verdictOn(withExchanges(pairs, of.exchanges), level, { level, practicalThreshold });
  const open: ValuesOfPair[][] = [];
  while (open.length < experiments) {
    const pairs = draw(of, of.pairs, random);
    if (verdictOf(pairs) === 'inconclusive') open.push(pairs);
  }
  const estimates = open.map((pairs) => tell(pairs, of, level) ?? Infinity).sort((one, other) => one - other);

  // Pairs are drawn once, and looked at again whenever a lower number is tried.
  const settled = (count: number): number =>
    open.filter((pairs) => {
      if (pairs.length < count) pairs.push(...draw(of, count - pairs.length, random));
      return verdictOf(pairs.slice(0, count)) !== 'inconclusive';
    }).length;
  const [step, blocksPerPair] = of.exchanges === 0 ? [1, 1] : [of.exchanges, 2];
  let [low, high] = [of.pairs / step, of.pairs / step + 4];
  while (settled(high * step) < experiments / 2) [low, high] = [high, Math.ceil(high * 1.5)];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (settled(middle * step) >= experiments / 2) high = middle;
    else low = middle;
  }
  return { truth: blocksPerPair * step * high, estimates };
}

function tellNow(pairs: readonly ValuesOfPair[], { exchanges }: SettlingCase, level: number): number | null {
  const estimate = estimatePaired(withExchanges(pairs, exchanges), 'ratio', { level });
  return blocksThatSettle(estimate, estimate.changes, { level, practicalThreshold, exchanges });
}

/** A plan with more blocks has more blocks for each exchange. */
function withExchanges(pairs: readonly ValuesOfPair[], exchanges: number): readonly ValuesOfPair[] {
  return exchanges > 1 ? pairs.map((pair, index) => ({ ...pair, exchange: index % exchanges })) : pairs;
}

function draw({ effect, spread }: SettlingCase, count: number, random: Random): ValuesOfPair[] {
  const noise = normalNoise(spread / Math.SQRT2);
  return simulateBlocks({ noise, blocks: count, effect: Math.log1p(effect), random });
}
