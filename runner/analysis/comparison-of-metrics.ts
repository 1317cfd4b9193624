import type { ComparedSide, Comparison } from '../contract/comparison.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import type { Level } from '../contract/trial.ts';
import { comparedMetrics, comparedUnit, type Measured } from '../metrics/value.ts';
import { medianInterval } from '../statistics/exact-interval.ts';
import { median } from '../statistics/summaries.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import type { Claims } from './claims.ts';
import type { AtCrossover, ValuePair } from './crossover.ts';
import type { Estimate } from './estimate.ts';
import { speedupOf } from './verdict.ts';

/** What was found by one metric, as its comparison has it, with what that is made of. */
export interface Found
  extends
    Pick<Comparison, 'pairs' | 'verdict' | 'undecided' | 'beside' | 'blocksToSettle' | 'unknownBlocks' | 'losses'>,
    Partial<Pick<Comparison, 'trials' | 'withheld' | 'checks'>> {
  estimate: Estimate;
  baseline: number[];
  candidate: number[];
  /** Further pairs, which are unknown. */
  unknown?: readonly AtCrossover[];
}

/** Compares two sides by every metric that is compared. Metrics without values are left out, but never the one that decides. */
export function compareMetrics(
  {
    decision,
    limit,
    conditions,
    claims,
    measured,
    ...names
  }: {
    baseline: string;
    candidate: string;
    decision: Decision;
    limit: WorkloadShape['limit'];
    conditions: Level;
    claims: Pick<Claims, 'scope'>;
    /** Both sides of what is compared. */
    measured: readonly Measured[];
  },
  compare: (metric: Metric) => Found,
): Comparison[] {
  return comparedMetrics(limit, measured).flatMap((metric): Comparison[] => {
    const { estimate, unknown = [], baseline, candidate, verdict, pairs, ...found } = compare(metric);
    const primary = verdict !== null;
    if (!primary && baseline.length === 0 && candidate.length === 0) return [];
    const unknownExchanges = unknown.flatMap(({ exchange }) => exchange ?? []);
    return [
      {
        metric: metric.name,
        unit: comparedUnit(metric, limit),
        better: metric.better,
        primary,
        conditions: { ...conditions },
        method: estimate.method,
        scope: claims.scope,
        baseline: side(names.baseline, decision, baseline),
        candidate: side(names.candidate, decision, candidate),
        change: estimate.change,
        speedup: speedupOf(estimate.change, metric),
        interval: estimate.interval,
        verdict,
        withheld: [],
        checks: [],
        trials: [],
        ...found,
        ...(unknown.length > 0 && { unknownPairs: unknown.length }),
        ...(unknownExchanges.length > 0 && { unknownExchanges }),
        pairs,
      },
    ];
  });
}

function side(variant: string, { level }: Decision, of: readonly number[]): ComparedSide {
  return { variant, value: null, median: median(of), n: of.length, interval: medianInterval(of, level) };
}

/** A pair as results keep it. */
export function countedPair(
  { trials, exchange, baseline, candidate, means }: ValuePair,
  change: number | null,
): Comparison['pairs'][number] {
  const [first, ...more] = trials;
  const both = { baseline, candidate, change };
  if (!first) throw new Error('a pair of no trials');
  if (more.length === 0 && first.replica === undefined) return { block: first.block, attempt: first.attempt, ...both };
  const replicas = trials.flatMap(({ replica }) => replica ?? []);
  const oneReplica = new Set(replicas).size === 1 ? replicas[0] : undefined;
  return {
    ...(oneReplica === undefined ? {} : { replica: oneReplica }),
    ...(exchange === undefined ? {} : { exchange }),
    blocks: trials.map(({ block }) => block),
    attempts: trials.map(({ attempt }) => attempt),
    ...(oneReplica === undefined && replicas.length > 0 ? { replicas } : {}),
    ...both,
    ...(means && { means }),
  };
}

/** The ids of the trials that pairs come from. */
export function trialsOf(pairs: readonly ValuePair[]): Comparison['trials'] {
  return pairs.flatMap(({ trials }) => trials.flatMap(({ ids }) => ids ?? []));
}

export function valuesOf(pairs: readonly Pick<ValuePair, 'baseline' | 'candidate'>[]): {
  baseline: number[];
  candidate: number[];
} {
  return { baseline: pairs.map((pair) => pair.baseline), candidate: pairs.map((pair) => pair.candidate) };
}
