import type { ComparedSide, Comparison } from '../contract/comparison.ts';
import type { Contrast, Decision } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import { type Level, levelWords, type Trial } from '../contract/trial.ts';
import { comparedMetrics, comparedUnit, comparedValue, type Measured } from '../metrics/value.ts';
import { medianInterval } from '../statistics/median-interval.ts';
import { median } from '../statistics/quantiles.ts';
import type { Look } from '../statistics/sequential.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { crossOver, type ValuePair } from './cross-over.ts';
import { type Estimate, estimatePaired, estimateUnpaired } from './estimate.ts';
import { countedBlocks } from './pairs.ts';
import { levelAt } from './stopping.ts';
import { blocksThatSettle, judge, speedupOf } from './verdict.ts';

export interface Compared {
  comparisons: Comparison[];
  /** What does not count, and why, in words. */
  warnings: string[];
}

type Limit = WorkloadShape['limit'];

/**
 * Compares every variant with the baseline block by block, separately at each level. A block counts for a candidate only if
 * both were measured to the end in it. Metrics without values are left out, but never the declared metric.
 */
export function compareTrials(request: {
  trials: readonly Trial[];
  baseline: string;
  /** All variants, in the order in which they are shown. The baseline may be among them. */
  variants: readonly string[];
  levels: readonly Level[];
  /** Further pairs to compare. They are only described. */
  contrasts?: readonly Contrast[];
  decision: Decision;
  /** Looks of `until: precision`. They set the level of the intervals. */
  looks?: readonly Look[] | undefined;
  /** Whether the log volumes were exchanged between the instances after half of the blocks. */
  crossover: boolean;
  limit: Limit;
}): Compared {
  const { trials, baseline, contrasts = [], limit, looks, levels, crossover } = request;
  const pair = (contrast: Contrast, level: Level): Compared => {
    const { blocks, warnings } = countedBlocks(trials, { ...contrast, level });
    const decision = { ...request.decision, level: levelAt(looks, blocks.length, request.decision.level) };
    const comparisons = compareBlocks({
      blocks: blocks.map(({ block, attempt, period, ...sides }) => ({
        blocks: [{ block, attempt }],
        period,
        ...sides,
      })),
      ...{ ...contrast, conditions: level, crossover, decision, limit },
    });
    // Verdicts at several levels would need a correction for their number.
    return { comparisons: levels.length > 1 ? comparisons.map(withoutVerdict) : comparisons, warnings };
  };
  const candidates = request.variants.filter((variant) => variant !== baseline);
  const compared = [
    ...candidates.flatMap((candidate) => levels.map((level) => pair({ baseline, candidate }, level))),
    ...contrasts.flatMap((contrast) => levels.map((level) => describeOnly(pair(contrast, level)))),
  ];
  return {
    comparisons: compared.flatMap(({ comparisons }) => comparisons),
    // A failed trial of the baseline is missing for every candidate, but one warning is enough.
    warnings: [...new Set(compared.flatMap(({ warnings }) => warnings))],
  };
}

function describeOnly({ comparisons, warnings }: Compared): Compared {
  return {
    comparisons: comparisons.map(({ blocksToSettle: _, ...each }) => ({ ...each, primary: false, verdict: null })),
    warnings,
  };
}

function withoutVerdict({ blocksToSettle: _, ...comparison }: Comparison): Comparison {
  if (comparison.verdict === null) return comparison;
  const method = `${comparison.method}; described only: one of several levels (${levelWords(comparison.conditions)})`;
  return { ...comparison, verdict: 'descriptive', method };
}

/** Both sides of a pair, with all their metrics. */
export interface MeasuredPair {
  /** The blocks that the pair comes from, each with the attempt that counts. */
  blocks: readonly { block: number; attempt: number }[];
  period: 1 | 2;
  baseline: Measured;
  candidate: Measured;
}

interface ComparisonRequest {
  baseline: string;
  candidate: string;
  conditions: Level;
  decision: Decision;
  limit: Limit;
}

/** Compares pairs of a baseline and a candidate. Each pair was measured in a block of its own. */
export function compareBlocks(
  request: ComparisonRequest & {
    blocks: readonly MeasuredPair[];
    /** If true, a block of the first period is taken together with a block of the second. */
    crossover: boolean;
  },
): Comparison[] {
  const { blocks, crossover, decision } = request;
  return compareMetrics(request, (metric) => {
    const read = blocks.flatMap(({ blocks: of, period, baseline, candidate }) => {
      const [before, after] = [baseline, candidate].map((side) => comparedValue(metric, side, request.limit));
      return isNumber(before) && isNumber(after) ? [{ blocks: of, period, baseline: before, candidate: after }] : [];
    });
    const pairs: ValuePair[] = crossover ? crossOver(read, metric.compared) : read;
    const { changes, ...estimate } = estimatePaired(pairs, metric.compared ?? 'ratio', decision.level, { crossover });
    return {
      estimate,
      // Blocks on one pair of servers tell only of that pair, unless each server was both variants.
      scope: crossover ? 'configurations' : 'these-instances',
      baseline: pairs.map((pair) => pair.baseline),
      candidate: pairs.map((pair) => pair.candidate),
      pairs: pairs.map((pair, index) => countedPair(pair, changes[index] ?? null)),
    };
  });
}

function countedPair({ blocks, baseline, candidate }: ValuePair, change: number | null): Comparison['pairs'][number] {
  const [first, second] = blocks;
  const values = { baseline, candidate, change };
  if (!first) throw new Error('a pair of no block');
  return second
    ? { blocks: [first.block, second.block], attempts: [first.attempt, second.attempt], ...values }
    : { ...first, ...values };
}

/** Compares runs that belong to no blocks. */
export function compareUnpaired(
  request: Omit<ComparisonRequest, 'conditions'> & {
    baselineRuns: readonly Measured[];
    candidateRuns: readonly Measured[];
    /** Why nothing may be inferred although there are enough runs; null if inference is allowed. */
    confounded: string | null;
  },
): Comparison[] {
  const { baselineRuns, candidateRuns, decision, limit, confounded } = request;
  return compareMetrics({ ...request, conditions: {} }, (metric) => {
    const valuesOf = (runs: readonly Measured[]): number[] =>
      runs.map((run) => comparedValue(metric, run, limit)).filter(isNumber);
    const [baseline, candidate] = [valuesOf(baselineRuns), valuesOf(candidateRuns)];
    const how = { level: decision.level, confounded };
    const estimate = estimateUnpaired(baseline, candidate, metric.compared ?? 'ratio', how);
    return { estimate, scope: 'these-instances', baseline, candidate, pairs: [] };
  });
}

function compareMetrics(
  { decision, limit, conditions, ...names }: ComparisonRequest,
  compare: (metric: Metric) => {
    estimate: Estimate;
    scope: Comparison['scope'];
    baseline: number[];
    candidate: number[];
    pairs: Comparison['pairs'];
  },
): Comparison[] {
  return comparedMetrics(limit).flatMap((metric): Comparison[] => {
    const { estimate, scope, pairs, ...values } = compare(metric);
    const baseline = side(names.baseline, decision, values.baseline);
    const candidate = side(names.candidate, decision, values.candidate);
    const primary = metric.name === decision.metric;
    if (!primary && baseline.n === 0 && candidate.n === 0) return [];
    const verdict = primary ? judge(estimate, metric.better, decision) : null;
    const settling = verdict === 'inconclusive' ? blocksThatSettle(estimate, baseline.n, decision) : null;
    return [
      {
        metric: metric.name,
        unit: comparedUnit(metric, limit),
        better: metric.better,
        primary,
        conditions: { ...conditions },
        method: estimate.method,
        scope,
        baseline,
        candidate,
        change: estimate.change,
        speedup: speedupOf(estimate.change, metric),
        interval: estimate.interval,
        verdict,
        withheld: [],
        checks: [],
        ...(settling === null ? {} : { blocksToSettle: settling }),
        pairs,
      },
    ];
  });
}

function side(variant: string, { level }: Decision, values: readonly number[]): ComparedSide {
  return { variant, median: median(values), n: values.length, interval: medianInterval(values, level) };
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}
