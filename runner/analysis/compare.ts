import type { ComparedSide, Comparison } from '../contract/comparison.ts';
import type { Contrast, Decision } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import type { Level, Trial } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { comparedMetrics, comparedUnit, comparedValue, type Measured } from '../metrics/value.ts';
import { fewestPairsFor } from '../statistics/exact-interval.ts';
import { medianInterval } from '../statistics/median-interval.ts';
import { median } from '../statistics/quantiles.ts';
import type { Look } from '../statistics/sequential.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import type { Claims } from './claims.ts';
import { crossOver, type ValuePair } from './cross-over.ts';
import { type Estimate, estimatePaired, estimateUnpaired } from './estimate.ts';
import { type Judged, judgeFamily } from './family.ts';
import { countedBlocks } from './pairs.ts';
import { levelAt } from './stopping.ts';
import { blocksThatSettle, judge, speedupOf } from './verdict.ts';

export interface Compared {
  comparisons: Comparison[];
  /** What does not count, and why, in words. */
  warnings: string[];
}

type Limit = WorkloadShape['limit'];

export interface TrialsToCompare {
  trials: readonly Trial[];
  baseline: string;
  /** All variants, in the order in which they are shown. The baseline may be among them. */
  variants: readonly string[];
  /** Variants that are the baseline once more. They are judged by themselves. */
  controls: readonly string[];
  levels: readonly Level[];
  /** Further pairs to compare. They are only described. */
  contrasts?: readonly Contrast[];
  decision: Decision;
  /** Looks of `until: precision`. They set the level of the intervals. */
  looks?: readonly Look[] | undefined;
  /** Whether the log volumes were exchanged between the instances after half of the blocks. */
  crossover: boolean;
  limit: Limit;
  claims: Claims;
}

/** Two variants at one level, with the pairs that count. */
interface Contest extends Contrast {
  level: Level;
  pairs: readonly MeasuredPair[];
  warnings: readonly string[];
}

/**
 * Compares every variant with the baseline block by block, separately at each level. A block counts for a candidate only if
 * both were measured to the end in it. All candidates at all levels are judged together. Metrics without values are left out,
 * but never the declared metric.
 */
export function compareTrials(request: TrialsToCompare): Compared {
  const { baseline, contrasts = [], controls, levels, decision } = request;
  const contestsOf = (contrast: Contrast): Contest[] => levels.map((level) => contestOf(contrast, level, request));
  const candidates = request.variants.filter((variant) => variant !== baseline);
  const contests = candidates.flatMap((candidate) => contestsOf({ baseline, candidate }));
  const described = contrasts.flatMap(contestsOf);

  const metric = metricNamed(decision.metric);
  const memberOf = (contest: Contest) => ({
    level: levelAt(request.looks, contest.pairs.length, decision.level),
    estimateAt: (level: number) => estimateContest(metric, contest, level, request).estimate,
  });
  const judged = new Map<Contest, Judged<Estimate>>();
  const judgeTogether = (some: readonly Contest[]): void =>
    judgeFamily(some.map(memberOf)).forEach((one, index) => {
      const contest = some[index];
      if (contest) judged.set(contest, one);
    });
  judgeTogether(contests.filter(({ candidate }) => !controls.includes(candidate)));
  for (const contest of contests) if (controls.includes(contest.candidate)) judgeTogether([contest]);

  return {
    comparisons: [
      ...contests.flatMap((contest) => compareContest(contest, judged.get(contest) ?? null, request)),
      ...described.flatMap((contest) => compareContest(contest, null, request)),
    ],
    // A failed trial of the baseline is missing for every candidate, but one warning is enough.
    warnings: [...new Set([...contests, ...described].flatMap(({ warnings }) => warnings))],
  };
}

function contestOf(contrast: Contrast, level: Level, { trials }: TrialsToCompare): Contest {
  const { blocks, warnings } = countedBlocks(trials, { ...contrast, level });
  const pairs = blocks.map(({ block, attempt, ...sides }) => ({ blocks: [{ block, attempt }], ...sides }));
  return { ...contrast, level, pairs, warnings };
}

/** Both sides of a pair, with all their metrics. */
export interface MeasuredPair {
  /** The blocks that the pair comes from, each with the attempt that counts. */
  blocks: readonly { block: number; attempt: number }[];
  period: 1 | 2;
  baseline: Measured;
  candidate: Measured;
}

/** @param judged what was decided by the declared metric; null if this contest is only described */
function compareContest(contest: Contest, judged: Judged<Estimate> | null, request: TrialsToCompare): Comparison[] {
  const { decision, claims } = request;
  return compareMetrics({ ...contest, ...request, conditions: contest.level }, (metric) => {
    const { estimate, pairs, changes } = estimateContest(metric, contest, decision.level, request);
    const numbers = {
      estimate,
      pairs: pairs.map((pair, index) => countedPair(pair, changes[index] ?? null)),
      ...values(pairs),
    };
    if (metric.name !== decision.metric || !judged) return { ...numbers, verdict: null };
    const verdict = judge(judged, pairs, metric.better, decision);
    const lacking = [...claims.obstacles, ...tooFew(pairs.length, contest, request)];
    return {
      ...numbers,
      estimate: judged.estimate,
      verdict: lacking.length > 0 ? 'descriptive' : verdict,
      withheld: lacking,
      settling: verdict === 'inconclusive' ? blocksThatSettle(judged.estimate, pairs.length, decision) : null,
    };
  });
}

/** Estimates one metric of a contest, from the pairs in which both sides have it. */
function estimateContest(
  metric: Metric | undefined,
  { pairs: measured }: Contest,
  level: number,
  { crossover, limit, claims }: TrialsToCompare,
) {
  const read = measured.flatMap(({ blocks, period, baseline, candidate }) => {
    const [before, after] = [baseline, candidate].map((side) => (metric ? comparedValue(metric, side, limit) : null));
    return isNumber(before) && isNumber(after) ? [{ blocks, period, baseline: before, candidate: after }] : [];
  });
  const compared = metric?.compared ?? 'ratio';
  const pairs: ValuePair[] = crossover ? crossOver(read, compared) : read;
  const { changes, ...estimate } = estimatePaired(pairs, compared, {
    level: claims.drawn ? level : null,
    unit: crossover ? 'pair of blocks' : 'block',
  });
  return { pairs, changes, estimate };
}

/** Why the pairs are too few for a verdict. */
function tooFew(pairs: number, { candidate }: Contest, request: TrialsToCompare): string[] {
  const { claims, controls, crossover, decision, levels, looks, variants, baseline } = request;
  if (!claims.drawn) return [];
  const family = controls.includes(candidate)
    ? 1
    : levels.length * variants.filter((name) => name !== baseline && !controls.includes(name)).length;
  const needed = fewestPairsFor(1 - (1 - levelAt(looks, pairs, decision.level)) / family);
  if (pairs >= needed) return [];
  const blocks = crossover ? 'pairs of blocks count' : 'blocks count';
  const among = family > 1 ? ` among ${family} comparisons` : '';
  return [
    `${pairs} ${pairs === 1 ? blocks.replace('count', 'counts').replace('s c', ' c') : blocks}, and a verdict${among} takes ${needed}`,
  ];
}

function countedPair({ blocks, baseline, candidate }: ValuePair, change: number | null): Comparison['pairs'][number] {
  const [first, second] = blocks;
  const both = { baseline, candidate, change };
  if (!first) throw new Error('a pair of no block');
  return second
    ? { blocks: [first.block, second.block], attempts: [first.attempt, second.attempt], ...both }
    : { ...first, ...both };
}

function values(pairs: readonly ValuePair[]): { baseline: number[]; candidate: number[] } {
  return { baseline: pairs.map((pair) => pair.baseline), candidate: pairs.map((pair) => pair.candidate) };
}

/** Describes runs that were not measured in the blocks of one run. They never get a verdict. */
export function describeRuns(request: {
  baseline: string;
  candidate: string;
  baselineRuns: readonly Measured[];
  candidateRuns: readonly Measured[];
  /** Whether the first run of either side belong together, the second, and so on. */
  paired: boolean;
  decision: Decision;
  limit: Limit;
  /** Why there is no verdict. */
  obstacle: string;
}): Comparison[] {
  const { baselineRuns, candidateRuns, paired, decision, limit, obstacle } = request;
  return compareMetrics({ ...request, claims: { scope: null }, conditions: {} }, (metric) => {
    const [before, after] = [baselineRuns, candidateRuns].map((runs) =>
      runs.map((run) => comparedValue(metric, run, limit)),
    ) as [(number | null)[], (number | null)[]];
    const pairs: ValuePair[] = before.flatMap((baseline, index) => {
      const candidate = after[index];
      const blocks = [{ block: index + 1, attempt: 1 }];
      return isNumber(baseline) && isNumber(candidate) ? [{ blocks, baseline, candidate }] : [];
    });
    const compared = metric.compared ?? 'ratio';
    const primary = metric.name === decision.metric;
    const claim = { verdict: primary ? ('descriptive' as const) : null, withheld: primary ? [obstacle] : [] };
    if (!paired) {
      const [baseline, candidate] = [before.filter(isNumber), after.filter(isNumber)];
      return { estimate: estimateUnpaired(baseline, candidate, compared), baseline, candidate, pairs: [], ...claim };
    }
    const { changes, ...estimate } = estimatePaired(pairs, compared, { level: null, unit: 'run' });
    const counted = pairs.map((pair, index) => countedPair(pair, changes[index] ?? null));
    return { estimate, pairs: counted, ...values(pairs), ...claim };
  });
}

function compareMetrics(
  {
    decision,
    limit,
    conditions,
    claims,
    ...names
  }: {
    baseline: string;
    candidate: string;
    decision: Decision;
    limit: Limit;
    conditions: Level;
    claims: Pick<Claims, 'scope'>;
  },
  compare: (metric: Metric) => {
    estimate: Estimate;
    baseline: number[];
    candidate: number[];
    pairs: Comparison['pairs'];
    verdict: Comparison['verdict'];
    withheld?: string[];
    settling?: number | null;
  },
): Comparison[] {
  return comparedMetrics(limit).flatMap((metric): Comparison[] => {
    const { estimate, pairs, verdict, withheld = [], settling = null, ...sides } = compare(metric);
    const baseline = side(names.baseline, decision, sides.baseline);
    const candidate = side(names.candidate, decision, sides.candidate);
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
        withheld,
        checks: [],
        ...(settling === null ? {} : { blocksToSettle: settling }),
        pairs,
      },
    ];
  });
}

function side(variant: string, { level }: Decision, of: readonly number[]): ComparedSide {
  return { variant, median: median(of), n: of.length, interval: medianInterval(of, level) };
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}
