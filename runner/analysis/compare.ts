import { type Comparison, unitWords } from '../contract/comparison.ts';
import { decidingMetric } from '../contract/experiment/schema.ts';
import { type Level, levelKey } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import type { Measured } from '../metrics/value.ts';
import { excludesZero, type Interval } from '../statistics/exact-interval.ts';
import { firstWithIntervals } from '../statistics/sequential.ts';
import { type BaselineArm, holdsAgainst, judgeAgainstArms, judgeFamily } from './family.ts';
import { besideOf } from './beside.ts';
import { compareMetrics, countedPair, type Found, trialsOf, valuesOf } from './comparison-of-metrics.ts';
import { type Estimate, whyUnbounded } from './estimate.ts';
import { samplesOf, tooSmall, withoutWords } from './cross-over.ts';
import { lossesOf } from './counted-trials.ts';
import { blocksIn } from './stopping.ts';
import { withSideValues } from './side-values.ts';
import { totalsOf } from './totals.ts';
import type { CombinedPairs } from './units.ts';
import { blocksThatSettle, holdsBeside, type Judged, unknownWords } from './verdict.ts';
import {
  contestOf,
  aloneLevel,
  type Contest,
  estimateContest,
  estimateDeclared,
  familyOf,
  shortTails,
  type TrialsToCompare,
} from './contest.ts';

export interface Compared {
  comparisons: Comparison[];
  /** What does not count, and why, in words. */
  warnings: string[];
}

type JudgedContest = Judged<Estimate> & { arms: readonly BaselineArm[] };

/**
 * Compares every candidate with its baseline block by block, separately at each level. A block counts for a candidate
 * only if both sides were measured to the end in it. All candidates at all levels are judged together, and so are all
 * controls. Metrics without values are left out, but never the declared metric.
 */
export function compareTrials(request: TrialsToCompare): Compared {
  const { controls } = request;
  const contests = request.contrasts.map((contrast) => contestOf(contrast, request));
  const described = (request.described ?? []).map((contrast) => contestOf(contrast, request));

  const judged = new Map<Contest, JudgedContest>();
  const judgeTogether = (some: readonly Contest[]): void => {
    const members = some.map((contest) => memberOf(contest, request));
    judgeFamily(members).forEach((one, index) => {
      const [contest, member] = [some[index], members[index]];
      if (contest && member) judged.set(contest, { ...one, arms: member.arms });
    });
  };
  judgeTogether(contests.filter(({ candidate }) => !controls.includes(candidate)));
  judgeTogether(contests.filter(({ candidate }) => controls.includes(candidate)));

  return {
    comparisons: withSideValues([
      ...contests.flatMap((contest) => compareContest(contest, judged.get(contest) ?? null, request)),
      ...described.flatMap((contest) => compareContest(contest, null, request)),
    ]),
    // A failed trial of the baseline is missing for every candidate, but one warning is enough.
    warnings: [
      ...new Set([...contests, ...described].flatMap((contest) => [...contest.warnings, ...unknownIn(contest)])),
    ],
  };
}

/** A contest as a member of its family, by the declared metric. */
function memberOf(contest: Contest, request: TrialsToCompare) {
  const arms = armsOf(contest, request);
  return {
    arms,
    level: aloneLevel(request),
    estimateAt: (level: number): Estimate => estimateDeclared(contest, level, request).estimate,
    holdsAt: (interval: Interval, level: number) => holdsAgainst(arms, interval, level),
  };
}

/** The candidate of a contest against each control at its level. A control itself has no further arms. */
function armsOf({ baseline, candidate, level }: Contest, request: TrialsToCompare): BaselineArm[] {
  if (request.controls.includes(candidate)) return [];
  const controls = request.contrasts.filter(
    (one) =>
      one.baseline === baseline && request.controls.includes(one.candidate) && levelKey(one.level) === levelKey(level),
  );
  const declared = metricNamed(decidingMetric(request.decision));
  return controls.map(({ candidate: control }) => {
    const contest = contestOf({ baseline: control, candidate, level }, request);
    const own = contestOf({ baseline, candidate: control, level }, request);
    const { pairs, unknown } = estimateDeclared(contest, aloneLevel(request), request);
    return {
      control,
      estimateAt: (at) => estimateDeclared(contest, at, request).estimate,
      totals: totalsOf(pairs, declared?.compared),
      unknown,
      own: estimateDeclared(own, familyOf(own, request).level, request).estimate.interval,
    };
  });
}

function unknownIn({ baseline, candidate, unknown }: Contest): string[] {
  return unknown.length === 0 ? [] : [`For ${candidate} against ${baseline}, ${unknownWords(unknown)}.`];
}

function sharedBy({ level, counted, blocks }: Contest): { conditions: Level; measured: Measured[] } {
  const shown = counted.length > 0 ? counted : blocks;
  return { conditions: level, measured: shown.flatMap(({ baseline, candidate }) => [baseline, candidate]) };
}

/** @param judged what was decided by the declared metric; null if this contest is only described */
function compareContest(contest: Contest, judged: JudgedContest | null, request: TrialsToCompare): Comparison[] {
  const { decision, claims } = request;
  const { unit } = claims;
  const found = compareMetrics({ ...request, ...contest, ...sharedBy(contest) }, (metric) => {
    const { estimate, pairs, unknown, shown, changes } = estimateContest(metric, contest, {
      ...request,
      level: decision.level,
      uniting: claims,
    });
    const kept = shown.map((pair, index) => countedPair(pair, changes[index] ?? null));
    const numbers = { estimate, pairs: kept, trials: trialsOf(shown), unknown, ...valuesOf(shown) };
    if (metric.name !== decidingMetric(decision) || !judged) {
      const isExplained = estimate.interval && excludesZero(estimate.interval) && !holdsBeside(estimate);
      return { ...numbers, verdict: null, ...(isExplained && { undecided: 'other programs' as const }) };
    }
    const { level } = familyOf(contest, request);
    const totals = totalsOf(pairs, metric.compared);
    const { verdict, undecided, checks } = judgeAgainstArms(judged, judged.arms, {
      totals,
      unknown,
      metric,
      decision,
      level,
    });
    const { interval } = judged.estimate;
    const isAcrossZero = interval !== null && !excludesZero(interval);
    const few = tooFew({ pairs, unknown }, contest, request);
    const missing = [...claims.obstacles, ...(few.length > 0 ? shortTails(metric, contest) : []), ...few];
    const beside = besideOf(judged.estimate, { verdict, metric, pairs, contest });
    const lacking =
      missing.length === 0 && interval === null ? [whyUnbounded(metric.compared ?? 'ratio', pairs)] : missing;
    return {
      ...numbers,
      notKnown: notKnown(contest, request),
      estimate: judged.estimate,
      ...(lacking.length > 0 ? { verdict: 'descriptive' as const } : { verdict, undecided }),
      beside,
      withheld: lacking,
      checks,
      settling:
        // More blocks add no pairs of instances, do not make a control agree, and end no other programs.
        verdict === 'inconclusive' && unit !== 'pair of instances' && isAcrossZero && !beside
          ? blocksThatSettle(judged.estimate, changes, {
              ...decision,
              level,
              exchanges: claims.exchanges,
              unknown: unknown.length,
              compared: metric.compared,
              totals,
            })
          : null,
    };
  });
  return judged && claims.replicas > 1 && unit === 'block' ? [...found, ...describeReplicas(contest, request)] : found;
}

/** For too few pairs of instances for a verdict on the configurations: describes them by the value of each pair. */
function describeReplicas(contest: Contest, request: TrialsToCompare): Comparison[] {
  const { decision, limit } = request;
  const claims = { scope: 'configurations' as const };
  return compareMetrics({ ...contest, ...sharedBy(contest), decision, limit, claims }, (metric) => {
    const uniting = { unit: 'pair of instances', exchanges: 0 } as const;
    const own = estimateContest(metric, contest, { ...request, level: decision.level, uniting });
    const { estimate, unknown, shown, changes } = own;
    const kept = shown.map((pair, index) => countedPair(pair, changes[index] ?? null));
    return { estimate, pairs: kept, trials: trialsOf(shown), unknown, ...valuesOf(shown), verdict: null };
  }).filter(({ metric }) => metric === decidingMetric(decision));
}

/**
 * The losses of the servers and the unknown blocks, in the form in which the comparison of the declared metric keeps
 * them.
 */
function notKnown(contest: Contest, { trials }: TrialsToCompare): Found['notKnown'] {
  const baseline = lossesOf(trials, contest.baseline, contest.level);
  const candidate = lossesOf(trials, contest.candidate, contest.level);
  const unknownBlocks = contest.unknown.map(({ period: _, ...block }) => block);
  return {
    ...(unknownBlocks.length > 0 && { unknownBlocks }),
    ...(baseline.lost + candidate.lost > 0 && { losses: { baseline, candidate } }),
  };
}

/** Why the pairs are too few for a verdict. */
function tooFew({ pairs, unknown }: CombinedPairs, contest: Contest, request: TrialsToCompare): string[] {
  const { claims } = request;
  if (!claims.drawn) return [];
  const { comparisons, level } = familyOf(contest, request);
  const small = tooSmall(samplesOf(pairs, unknown), level);
  if (!small) return [];
  // A run with looks has no verdict before the first look that can have one, even if fewer blocks reach its level.
  const look = firstWithIntervals(request.looks ?? [], comparisons);
  const needed = look && blocksIn(request.trials) < look.blocks ? Math.max(look.blocks, small.needed) : small.needed;
  const count = small.pairs.length;
  const among = comparisons > 1 ? ` among ${comparisons} comparisons` : '';
  if (unknown.length === 0) {
    const were = `${withoutWords(small)}${count} ${unitWords(claims.unit, count)} ${count === 1 ? 'was' : 'were'} compared`;
    return [`${were}, but a verdict${among} takes ${needed}`];
  }
  const there = `${withoutWords(small)}there are ${count + small.unknown}`;
  return [
    `${unknownWords(contest.unknown)}, so the interval has no bound: a verdict${among} then takes ${needed} ${unitWords(claims.unit, needed)}, but ${there}`,
  ];
}
