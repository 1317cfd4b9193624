import type { Contrast, Decision } from '../contract/experiment/schema.ts';
import { medianInterval } from '../statistics/median-interval.ts';
import { median } from '../statistics/quantiles.ts';
import type { Look } from '../statistics/sequential.ts';
import { completeBlocks } from './pairs.ts';
import { crossOver } from './cross-over.ts';
import { type Estimate, estimatePaired, estimateUnpaired } from './estimate.ts';
import { type Measured, type Metric, metricsOf, type TrialLimit } from '../metrics/catalogue.ts';
import type { ComparedSide, Comparison, Trial } from '../contract/result.ts';
import { levelAt } from './stopping.ts';
import { blocksThatSettle, judge, speedupOf } from './verdict.ts';

export interface Compared {
  comparisons: Comparison[];
  /** What does not count and why, in words. */
  warnings: string[];
}

/**
 * Compares every variant with the baseline, block by block. A block counts for a candidate only where both were measured to
 * the end in it; metrics that no trial tells are left out, but never the declared one.
 */
export function compareTrials(request: {
  trials: readonly Trial[];
  baseline: string;
  /** All of them, in the order in which they are to be shown; the baseline is passed over. */
  variants: readonly string[];
  /** Pairs that are compared besides, and described only. */
  contrasts?: readonly Contrast[];
  decision: Decision;
  /** Of `until: precision`: they set the level of the intervals. */
  looks?: readonly Look[] | undefined;
  /** Whether the log volumes changed places after half of the blocks. */
  crossover?: boolean;
  limit: TrialLimit;
}): Compared {
  const { trials, contrasts = [], limit, looks } = request;
  const pair = ({ baseline, candidate }: Contrast): Compared => {
    const { blocks, warnings } = completeBlocks(trials, baseline, candidate);
    const decision = { ...request.decision, level: levelAt(looks, blocks.length, request.decision.level) };
    return {
      comparisons: compareBlocks({
        blocks,
        periods: request.crossover ? blocks.map(([{ period = 1 }]) => period) : undefined,
        baseline,
        candidate,
        decision,
        limit,
      }),
      warnings,
    };
  };
  const compared = [
    ...request.variants
      .filter((variant) => variant !== request.baseline)
      .map((candidate) => pair({ baseline: request.baseline, candidate })),
    ...contrasts.map((contrast) => describeOnly(pair(contrast))),
  ];
  return {
    comparisons: compared.flatMap(({ comparisons }) => comparisons),
    // A failed trial of the baseline is missing for every candidate, but need be said only once.
    warnings: [...new Set(compared.flatMap(({ warnings }) => warnings))],
  };
}

function describeOnly({ comparisons, warnings }: Compared): Compared {
  const described = comparisons.map((each) => ({
    ...each,
    primary: false,
    verdict: null,
    blocksToSettle: undefined,
  }));
  return { comparisons: described, warnings };
}

/** Compares pairs of [baseline, candidate], each measured in a block of its own. */
export function compareBlocks(request: {
  blocks: readonly (readonly [Measured, Measured])[];
  /** Of a crossover, the period of each block: a block of the first is then taken together with one of the second. */
  periods?: readonly (1 | 2)[] | undefined;
  baseline: string;
  candidate: string;
  decision: Decision;
  limit: TrialLimit;
}): Comparison[] {
  const { blocks, periods, baseline, candidate, decision } = request;
  return compareMetrics(request, (metric) => {
    const read = blocks.flatMap(([before, after], index) => {
      const pair = [metric.read(before), metric.read(after)] as const;
      const period = periods?.[index] ?? 1;
      return isNumber(pair[0]) && isNumber(pair[1]) ? [{ period, pair: [pair[0], pair[1]] as const }] : [];
    });
    const pairs = periods ? crossOver(read, metric.comparedBy) : read.map(({ pair }) => pair);
    return {
      estimate: estimatePaired(pairs, metric.comparedBy, decision.level, { crossover: periods !== undefined }),
      sides: [
        side(
          baseline,
          decision,
          pairs.map(([before]) => before),
        ),
        side(
          candidate,
          decision,
          pairs.map(([, after]) => after),
        ),
      ],
    };
  });
}

/** Compares runs that belong to no blocks. */
export function compareUnpaired(request: {
  baselineRuns: readonly Measured[];
  candidateRuns: readonly Measured[];
  baseline: string;
  candidate: string;
  decision: Decision;
  limit: TrialLimit;
  /** Why nothing may be inferred although there are runs enough, where that is so. */
  confounded: string | null;
}): Comparison[] {
  const { baselineRuns, candidateRuns, baseline, candidate, decision, confounded } = request;
  return compareMetrics(request, (metric) => {
    const [before, after] = [baselineRuns, candidateRuns].map((runs) =>
      runs.map((run) => metric.read(run)).filter(isNumber),
    );
    if (!before || !after) throw new Error('two sides give two lists');
    return {
      estimate: estimateUnpaired(before, after, metric.comparedBy, { level: decision.level, confounded }),
      sides: [side(baseline, decision, before), side(candidate, decision, after)],
    };
  });
}

function compareMetrics(
  { decision, limit, periods }: { decision: Decision; limit: TrialLimit; periods?: readonly (1 | 2)[] | undefined },
  compare: (metric: Metric) => { estimate: Estimate; sides: [ComparedSide, ComparedSide] },
): Comparison[] {
  return metricsOf(limit).flatMap((metric) => {
    const { estimate, sides } = compare(metric);
    const [baseline, candidate] = sides;
    const primary = metric.name === decision.metric;
    if (!primary && baseline.n === 0 && candidate.n === 0) return [];
    const verdict = primary ? judge(estimate, metric.better, decision) : null;
    const settling = verdict === 'inconclusive' ? blocksThatSettle(estimate, baseline.n, decision) : null;
    return [
      {
        metric: metric.name,
        unit: metric.unit,
        better: metric.better,
        primary,
        method: estimate.method,
        // Blocks on one pair of servers speak of that pair, unless each server was both variants.
        scope: periods ? 'configurations' : 'these-instances',
        baseline,
        candidate,
        change: estimate.change,
        speedup: speedupOf(estimate.change, metric),
        interval: estimate.interval,
        verdict,
        ...(settling === null ? {} : { blocksToSettle: settling }),
      },
    ];
  });
}

function side(variant: string, { level }: Decision, values: readonly number[]): ComparedSide {
  return { variant, median: median(values), n: values.length, interval: medianInterval(values, level) };
}

function isNumber(value: number | null): value is number {
  return value !== null && Number.isFinite(value);
}
