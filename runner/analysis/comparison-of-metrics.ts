import type { Check } from '../contract/check.ts';
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

/** What was found by one metric. */
export interface Found {
  estimate: Estimate;
  baseline: number[];
  candidate: number[];
  pairs: Comparison['pairs'];
  /** Absent if runs belong to no blocks. */
  trials?: Comparison['trials'];
  /** Further pairs, which are unknown. */
  unknown?: readonly AtCrossover[];
  /** null if the metric does not decide. */
  verdict: Comparison['verdict'];
  undecided?: Comparison['undecided'];
  beside?: Comparison['beside'];
  withheld?: string[];
  /** Findings for or against the verdict. */
  checks?: Check[];
  notKnown?: Pick<Comparison, 'unknownBlocks' | 'losses'>;
  /** Blocks that would settle it. */
  settling?: number | null;
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
    const found = compare(metric);
    const {
      estimate,
      pairs,
      trials = [],
      verdict,
      undecided,
      beside,
      withheld = [],
      checks = [],
      settling = null,
      notKnown = {},
      unknown = [],
      ...sides
    } = found;
    const baseline = side(names.baseline, decision, sides.baseline);
    const candidate = side(names.candidate, decision, sides.candidate);
    const unknownExchanges = unknown.flatMap(({ exchange }) => exchange ?? []);
    const primary = verdict !== null;
    if (!primary && baseline.n === 0 && candidate.n === 0) return [];
    return [
      {
        metric: metric.name,
        unit: comparedUnit(metric, limit),
        better: metric.better,
        primary,
        conditions: { ...conditions },
        method: estimate.method,
        scope: claims.scope,
        baseline,
        candidate,
        change: estimate.change,
        speedup: speedupOf(estimate.change, metric),
        interval: estimate.interval,
        verdict,
        ...(undecided && { undecided }),
        ...(beside && { beside }),
        withheld,
        checks,
        ...(settling === null ? {} : { blocksToSettle: settling }),
        ...notKnown,
        ...(unknown.length === 0 ? {} : { unknownPairs: unknown.length }),
        ...(unknownExchanges.length === 0 ? {} : { unknownExchanges }),
        pairs,
        trials,
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
