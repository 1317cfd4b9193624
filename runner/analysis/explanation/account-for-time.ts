import type { ExplainedTime } from '../../contract/explanation.ts';
import type { Interval } from '../../statistics/exact-interval.ts';
import { mean } from '../../statistics/batches.ts';
import { turnKinds, turnMetricName } from '../../metrics/turn.ts';
import { valueOf } from '../../metrics/value.ts';
import type { ValuePair } from '../cross-over.ts';
import { estimatePaired } from '../estimate.ts';
import type { ValuesOfPair } from '../scale.ts';
import { readAllPairs, type UnitedPairs } from '../units.ts';
import type { Contest } from './judge-link.ts';

/** The time of a transaction on both sides, by kinds. */
export interface TimeAccount {
  pairs: number;
  /** How many further pairs are unknown. They are in no mean, and intervals take their worst. */
  unknown: number;
  /** Kinds that either side has, the one that changes most first; empty if the sessions were not sampled. */
  time: ExplainedTime[];
  /** Whether the slower variant takes longer for a transaction, beyond chance. Otherwise there is no difference to share out. */
  isLonger: boolean;
}

/**
 * Divides the difference in the time of a transaction among the kinds of time. Both sides are means over the same pairs: they
 * add up to the whole, so that no millisecond is missing or stands twice, and their difference is the change. Medians and
 * Hodges-Lehmann estimates of parts do not add up to that of the whole.
 */
export function accountForTime(contest: Contest): TimeAccount {
  const { slower } = contest;
  const kinds = turnKinds.flatMap(({ kind, title }) => {
    const name = turnMetricName(kind);
    const read = readAllPairs(contest, (trial) => valueOf({ name }, trial), { ...contest, compared: 'difference' });
    return read.pairs.length > 0 ? [{ kind, title, ...read }] : [];
  });
  const unknown = kinds[0]?.unknown ?? [];
  const estimated = { ...contest, unknown };
  const whole = changeOf(wholeOf(kinds.map(({ pairs }) => pairs)), estimated);
  const towards = slower === 'candidate' ? 1 : -1;
  const isLonger = whole.interval !== null && isBeyondZero(whole.interval, towards);
  const time = kinds.map(({ kind, title, pairs }): ExplainedTime => {
    const found = changeOf(pairs, estimated);
    return { kind, title, ...found, share: isLonger ? found.change / whole.change : null };
  });
  return {
    pairs: kinds[0]?.pairs.length ?? 0,
    unknown: unknown.length,
    time: time
      .filter(({ baseline, candidate }) => baseline > 0 || candidate > 0)
      .sort((a, b) => Math.abs(b.change) - Math.abs(a.change)),
    isLonger,
  };
}

/** Whether all of the interval lies on this side of zero. */
export function isBeyondZero({ low, high }: Pick<Interval, 'low' | 'high'>, side: 1 | -1): boolean {
  return Math.min(side * low, side * high) > 0;
}

/** The sums of all kinds, pair by pair. */
function wholeOf(kinds: readonly (readonly ValuePair[])[]): ValuesOfPair[] {
  const sum = (index: number, side: 'baseline' | 'candidate'): number =>
    kinds.reduce((total, pairs) => total + (pairs[index]?.[side] ?? 0), 0);
  return (kinds[0] ?? []).map(({ exchange }, index) => ({
    exchange,
    baseline: sum(index, 'baseline'),
    candidate: sum(index, 'candidate'),
  }));
}

/**
 * Means of both sides and their difference. The interval is the exact one, widened to the mean where an outlier carries that
 * beyond it, which can only raise its level.
 */
function changeOf(
  pairs: readonly ValuesOfPair[],
  options: Pick<Contest, 'level' | 'unit'> & Pick<UnitedPairs, 'unknown'>,
): Pick<ExplainedTime, 'baseline' | 'candidate' | 'change' | 'interval'> {
  if (pairs.length === 0) return { baseline: 0, candidate: 0, change: 0, interval: null };
  const baseline = mean(pairs.map((pair) => pair.baseline));
  const candidate = mean(pairs.map((pair) => pair.candidate));
  const change = candidate - baseline;
  const { interval } = estimatePaired(pairs, 'difference', options);
  return {
    baseline,
    candidate,
    change,
    interval: interval && {
      ...interval,
      low: Math.min(interval.low, change),
      high: Math.max(interval.high, change),
    },
  };
}
