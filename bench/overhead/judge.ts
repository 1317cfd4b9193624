import { estimatePaired } from '../../runner/analysis/estimate.ts';
import type { Interval } from '../../runner/statistics/exact-interval.ts';
import { minRounds } from './options.ts';

/**
 * `on`: a trial with every collector. `off`: a trial without those that an experiment may leave out. `plain`: the load
 * generator alone. `no-log`: the same without its log of every transaction.
 */
export type Arm = 'on' | 'off' | 'plain' | 'no-log';

export interface Measured {
  tps: number;
  /** null if there is no log of every transaction, or only a part of it. */
  p99Seconds: number | null;
}

/** Measurements that followed each other directly, by arm. */
export type Round = ReadonlyMap<Arm, Measured>;

export interface Ratio {
  over: Arm;
  under: Arm;
  what: keyof Measured;
  /** null if nothing can be compared. */
  ratio: number | null;
  interval: Interval | null;
  rounds: number;
}

const level = 0.95;
/** With an interval of this half-width, nothing more is measured. */
const enoughHalfWidth = 0.01;
const [minRatio, minLow] = [0.99, 0.98];
/** Throughput of these decides. */
const deciding: readonly (readonly [Arm, Arm])[] = [
  ['on', 'off'],
  ['on', 'plain'],
];

/** The ratio of two arms, round by round: Hodges-Lehmann estimate of the log-ratios, exact signed-rank interval. */
export function ratioOf(rounds: readonly Round[], what: keyof Measured, over: Arm, under: Arm): Ratio {
  const pairs = rounds.flatMap((round) => {
    const [baseline, candidate] = [round.get(under)?.[what], round.get(over)?.[what]];
    return baseline && candidate ? [{ baseline, candidate }] : [];
  });
  const { change, interval } = estimatePaired(pairs, 'ratio', { level });
  return {
    over,
    under,
    what,
    rounds: pairs.length,
    ratio: change === null ? null : 1 + change,
    interval: interval && { ...interval, low: 1 + interval.low, high: 1 + interval.high },
  };
}

/** The ratios that decide. */
export function decidingRatios(rounds: readonly Round[]): Ratio[] {
  return deciding.map(([over, under]) => ratioOf(rounds, 'tps', over, under));
}

/**
 * Whether enough was measured. Only the widths of intervals decide, never their positions: stopping at the first
 * interval that pleases would find what was hoped for.
 */
export function isEnough(rounds: readonly Round[]): boolean {
  return rounds.length >= minRounds && decidingRatios(rounds).every(isNarrow);
}

export function isNarrow({ interval }: Ratio): boolean {
  return interval !== null && (interval.high - interval.low) / 2 <= enoughHalfWidth;
}

/** Why it is not shown that collecting costs almost nothing, a sentence each; empty if it is shown. */
export function obstacles(rounds: readonly Round[]): string[] {
  return decidingRatios(rounds).flatMap(({ over, under, ratio, interval }) => {
    const name = `The throughput of ${over}/${under}`;
    if (ratio === null || interval === null) return [`${name} has no interval.`];
    return [
      ...(ratio < minRatio ? [`${name} is ${ratio.toFixed(4)}, below ${minRatio}.`] : []),
      ...(interval.low < minLow
        ? [`${name} may be as low as ${interval.low.toFixed(4)}, the low end of its interval. That is below ${minLow}.`]
        : []),
    ];
  });
}
