import type { Comparison } from '../../contract/comparison.ts';
import type { ExplainedTime, Explanation } from '../../contract/explanation.ts';
import type { Result } from '../../contract/result.ts';
import { serversAt } from '../../contract/server.ts';
import type { Level, Trial } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { designOf } from '../../experiment/plan/design.ts';
import { blocksOf } from '../counted-trials.ts';
import { type ComparedBlocks, coverage } from './judge-link.ts';
import { nameOf, type Spent } from './name-cause.ts';
import type { Interval } from '../../statistics/exact-interval.ts';
import { mean } from '../../statistics/summaries.ts';
import { timeKinds, timeMetricName } from '../../metrics/transaction-time.ts';
import { valueOf } from '../../metrics/value.ts';
import type { ValuePair } from '../crossover.ts';
import { estimatePaired } from '../estimate.ts';
import { sidesOf, type ValuesOfPair } from '../side-values.ts';
import { readAllPairs, type CombinedPairs } from '../units.ts';
import { addsUp } from '../validity/invariant/transaction-time.ts';

/** A kind of time with a smaller share of the difference is not worth a name. */
export const namedShare = 0.1;

/**
 * Explains why a candidate is faster or slower than the baseline: where the time of a transaction goes. It does so for
 * every comparison with such a verdict, since without an effect there is nothing to explain. Sessions are sampled over
 * whole trials, so trials whose start was left out are not explained.
 */
export function explain(
  facts: Pick<Result, 'experiment' | 'trials' | 'variants'> & { comparisons: readonly Comparison[] },
): Explanation[] {
  const { definition } = facts.experiment;
  const controls = controlsOf(definition);
  const { unit, exchanges, drawn } = designOf(definition);
  return facts.comparisons
    .filter(({ verdict, candidate }) => isEffect(verdict) && !controls.includes(candidate.variant))
    .filter(() => facts.trials.every(({ steady }) => steady === undefined))
    .map((comparison) => {
      const { baseline, candidate, conditions, verdict } = comparison;
      const names = { baseline: baseline.variant, candidate: candidate.variant };
      const judged = verdict === 'better' ? 'baseline' : 'candidate';
      const blocks: Observed = {
        ...blocksOf(comparison, facts.trials),
        unit,
        exchanges,
        level: drawn ? definition.decision.level : null,
      };
      const { pairs, unknown, broken, time, longer } = accountForTime(blocks);
      const workers = time.length > 0 ? meanWorkers(blocks) : null;
      const slower = longer ?? judged;
      const settings = settingsOf(facts.variants, Object.values(names), conditions);
      const [one, other] = Object.values(names).map((name) => {
        const { prepare, scripts } = definition.variants[name] ?? {};
        return JSON.stringify({ prepare, scripts });
      });
      const compared: ComparedBlocks = { ...blocks, slower, settings, sqlAlike: one === other };
      const spent: Spent = new Map();
      return {
        ...names,
        conditions,
        slower: names[slower],
        ...(slower !== judged && { opposesVerdict: true as const }),
        pairs,
        ...(unknown > 0 && { unknownPairs: unknown }),
        ...(broken > 0 && { brokenPairs: broken }),
        time,
        ...(workers && { workers }),
        mechanisms: time
          .filter((one) => isLost(one, compared))
          .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
          .flatMap((one) => nameOf(one, compared, spent) ?? []),
      };
    });
}

/** The settings in force of both sides, if all servers of each agree about them. */
function settingsOf(
  servers: Result['variants'],
  variants: readonly string[],
  level: Level,
): ComparedBlocks['settings'] {
  const [baseline = new Map<string, string>(), candidate = new Map<string, string>()] = variants.map((variant) => {
    const own = serversAt(servers, level, variant).map(({ settings }) => settings);
    const names = Object.keys(own[0] ?? {}).filter((name) => own.every((one) => one[name] === own[0]?.[name]));
    return new Map(names.map((name) => [name, own[0]?.[name] ?? '']));
  });
  return { baseline, candidate };
}

function isEffect(verdict: Comparison['verdict']): boolean {
  return verdict === 'better' || verdict === 'worse';
}

/** Whether the slower variant loses a part of the difference that is worth a name in this kind of time, beyond chance. */
export function isLost(
  { share, interval }: Pick<ExplainedTime, 'share' | 'interval'>,
  { slower }: Pick<ComparedBlocks, 'slower'>,
): boolean {
  return (share ?? 0) >= namedShare && interval !== null && isBeyondZero(interval, slower === 'candidate' ? 1 : -1);
}

/** What is compared, before it is known which side is slower. */
type Observed = Omit<ComparedBlocks, 'slower' | 'settings' | 'sqlAlike'>;

/** The time of a transaction on both sides, by kinds. */
interface TimeAccount {
  pairs: number;
  /** How many further pairs are unknown. No mean includes them, and intervals assume their worst case. */
  unknown: number;
  /** How many further pairs have a trial whose sessions are not those of the load. No mean includes them. */
  broken: number;
  /** Kinds that either side has, with the largest change first; empty if the sessions were not sampled. */
  time: ExplainedTime[];
  /**
   * The side that takes longer for a transaction, beyond chance; null if neither does, and there is no difference to
   * divide. It need not be the side with the worse verdict: a tail may be longer where the mean is shorter.
   */
  longer: ComparedBlocks['slower'] | null;
}

/**
 * Divides the difference in the time of a transaction among the kinds of time. Both sides are means over the same
 * pairs. They add up to the whole, so no millisecond is missing or counted twice, and their difference is the change.
 * Medians and Hodges-Lehmann estimates of parts do not add up to that of the whole.
 */
function accountForTime(compared: Observed): TimeAccount {
  const broken = compared.counted.filter(({ baseline, candidate }) => !addsUp(baseline) || !addsUp(candidate)).length;
  // A few pairs may be left out. If it is many, those that are left need not be like the others.
  if (broken > (1 - coverage) * compared.counted.length)
    return { pairs: 0, unknown: 0, broken, time: [], longer: null };
  const kinds = timeKinds.flatMap(({ kind, title }) => {
    const name = timeMetricName(kind);
    const read = readAllPairs(compared, (trial) => (addsUp(trial) ? valueOf({ name }, trial) : null), {
      ...compared,
      compared: 'difference',
    });
    return read.pairs.length > 0 ? [{ kind, title, ...read }] : [];
  });
  const unknown = kinds[0]?.unknown ?? [];
  const estimated = { ...compared, unknown };
  const whole = changeOf(wholeOf(kinds.map(({ pairs }) => pairs)), estimated);
  const longer = longerSide(whole.interval);
  const time = kinds.map(({ kind, title, pairs }): ExplainedTime => {
    const found = changeOf(pairs, estimated);
    return { kind, title, ...found, share: longer === null ? null : found.change / whole.change };
  });
  return {
    pairs: kinds[0]?.pairs.length ?? 0,
    unknown: unknown.length,
    broken,
    time: time
      .filter(({ baseline, candidate }) => baseline > 0 || candidate > 0)
      .sort((a, b) => Math.abs(b.change) - Math.abs(a.change)),
    longer,
  };
}

/** Busy parallel workers on both sides; null if there were none. */
function meanWorkers(compared: Observed): { baseline: number; candidate: number } | null {
  const workersIn = (trial: Trial): number | null => (addsUp(trial) ? valueOf({ name: 'waits.workers' }, trial) : null);
  const { pairs } = readAllPairs(compared, workersIn, { ...compared, compared: 'difference' });
  const [baseline, candidate] = sidesOf(pairs).map(mean) as [number, number];
  return baseline > 0 || candidate > 0 ? { baseline, candidate } : null;
}

function longerSide(interval: Interval | null): ComparedBlocks['slower'] | null {
  if (interval === null) return null;
  return isBeyondZero(interval, 1) ? 'candidate' : isBeyondZero(interval, -1) ? 'baseline' : null;
}

/** Whether all of the interval lies on this side of zero. */
function isBeyondZero({ low, high }: Pick<Interval, 'low' | 'high'>, side: 1 | -1): boolean {
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
 * Means of both sides and their difference. The interval is the exact one. If an outlier moves the mean difference
 * beyond it, the interval is widened to include that, which can only raise its level.
 */
function changeOf(
  pairs: readonly ValuesOfPair[],
  options: Pick<ComparedBlocks, 'level' | 'unit'> & Pick<CombinedPairs, 'unknown'>,
): Pick<ExplainedTime, 'baseline' | 'candidate' | 'change' | 'interval'> {
  if (pairs.length === 0) return { baseline: 0, candidate: 0, change: 0, interval: null };
  const [baseline, candidate] = sidesOf(pairs).map(mean) as [number, number];
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
