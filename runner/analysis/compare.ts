import { distinctWarnings, type Warning, warningsOf } from '../contract/warnings.ts';
import { type Comparison, unitWords } from '../contract/comparison.ts';
import { decidingMetric } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import { type Level, levelKey } from '../contract/trial.ts';
import { reason, type WithheldReason } from '../contract/withheld.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import type { Measured } from '../metrics/value.ts';
import { excludesZero, type Interval } from '../statistics/exact-interval.ts';
import { firstWithIntervals } from '../statistics/sequential.ts';
import { type Control, holdsAgainst, judgeAgainstControls, judgeFamily } from './family.ts';
import { besideOf } from './beside.ts';
import { compareMetrics, countedPair, trialsOf, valuesOf } from './comparison-of-metrics.ts';
import { type Estimate, whyUnbounded } from './estimate.ts';
import { samplesOf, tooSmall, withoutWords } from './crossover.ts';
import { lossesOf } from './counted-trials.ts';
import { blocksIn } from './stopping.ts';
import { withSideValues } from './side-values.ts';
import { totalsOf } from './totals.ts';
import type { CombinedPairs, PairCombination } from './units.ts';
import { blocksThatSettle, holdsBeside, type Judged, unknownWords } from './verdict.ts';
import {
  pairingOf,
  aloneLevel,
  type Pairing,
  estimatePairing,
  estimateDeclared,
  familyOf,
  shortTails,
  type TrialsToCompare,
} from './pairing.ts';

export interface Compared {
  comparisons: Comparison[];
  /** What does not count, and why, in words. */
  warnings: Warning[];
}

type JudgedPairing = Judged<Estimate> & { controls: readonly Control[] };

/**
 * Compares every candidate with its baseline block by block, separately at each level. A block counts for a candidate
 * only if both sides were measured to the end in it. All candidates at all levels are judged together, and so are all
 * controls. Metrics without values are left out, but never the declared metric.
 */
export function compareTrials(request: TrialsToCompare): Compared {
  const { controls } = request;
  const pairings = request.contrasts.map((contrast) => pairingOf(contrast, request));
  const described = (request.described ?? []).map((contrast) => pairingOf(contrast, request));

  const judged = new Map<Pairing, JudgedPairing>();
  const judgeTogether = (some: readonly Pairing[]): void => {
    const members = some.map((pairing) => memberOf(pairing, request));
    judgeFamily(members).forEach((one, index) => {
      const [pairing, member] = [some[index], members[index]];
      if (pairing && member) judged.set(pairing, { ...one, controls: member.controls });
    });
  };
  judgeTogether(pairings.filter(({ candidate }) => !controls.includes(candidate)));
  judgeTogether(pairings.filter(({ candidate }) => controls.includes(candidate)));

  return {
    comparisons: withSideValues([
      ...pairings.flatMap((pairing) => comparePairing(pairing, judged.get(pairing) ?? null, request)),
      ...described.flatMap((pairing) => comparePairing(pairing, null, request)),
    ]),
    // A failed trial of the baseline is missing for every candidate, but one warning is enough.
    warnings: distinctWarnings(
      [...pairings, ...described].flatMap((pairing) => [
        ...warningsOf('block-missing', pairing.warnings),
        ...warningsOf('block-unknown', unknownIn(pairing)),
      ]),
    ),
  };
}

/** A contest as a member of its family, by the declared metric. */
function memberOf(pairing: Pairing, request: TrialsToCompare) {
  const controls = controlsFor(pairing, request);
  return {
    controls,
    level: aloneLevel(request),
    estimateAt: (level: number): Estimate => estimateDeclared(pairing, level, request).estimate,
    holdsAt: (interval: Interval, level: number) => holdsAgainst(controls, interval, level),
  };
}

/** The candidate of a contest against each control at its level. A control itself has no further arms. */
function controlsFor({ baseline, candidate, level }: Pairing, request: TrialsToCompare): Control[] {
  if (request.controls.includes(candidate)) return [];
  const controls = request.contrasts.filter(
    (one) =>
      one.baseline === baseline && request.controls.includes(one.candidate) && levelKey(one.level) === levelKey(level),
  );
  const declared = metricNamed(decidingMetric(request.decision));
  return controls.map(({ candidate: control }) => {
    const pairing = pairingOf({ baseline: control, candidate, level }, request);
    const own = pairingOf({ baseline, candidate: control, level }, request);
    const { pairs, unknown } = estimateDeclared(pairing, aloneLevel(request), request);
    return {
      control,
      estimateAt: (at) => estimateDeclared(pairing, at, request).estimate,
      totals: totalsOf(pairs, declared?.compared),
      unknown,
      own: estimateDeclared(own, familyOf(own, request).level, request).estimate.interval,
    };
  });
}

function unknownIn({ baseline, candidate, unknown }: Pairing): string[] {
  return unknown.length === 0 ? [] : [`${candidate} vs ${baseline}: ${unknownWords(unknown)}.`];
}

function sharedBy({ level, counted, blocks }: Pairing): { conditions: Level; measured: Measured[] } {
  const shown = counted.length > 0 ? counted : blocks;
  return { conditions: level, measured: shown.flatMap(({ baseline, candidate }) => [baseline, candidate]) };
}

/** @param judged what was decided by the declared metric; null if this contest is only described */
function comparePairing(pairing: Pairing, judged: JudgedPairing | null, request: TrialsToCompare): Comparison[] {
  const { decision, claims } = request;
  const { unit } = claims;
  const found = compareMetrics({ ...request, ...pairing, ...sharedBy(pairing) }, (metric) => {
    const { pairs, unknown, changes, ...numbers } = numbersBy(metric, pairing, request);
    const { estimate } = numbers.found;
    if (metric.name !== decidingMetric(decision) || !judged) {
      const isExplained = estimate.interval && excludesZero(estimate.interval) && !holdsBeside(estimate);
      return { ...numbers.found, verdict: null, ...(isExplained && { undecided: 'other-programs' as const }) };
    }
    const { level } = familyOf(pairing, request);
    const totals = totalsOf(pairs, metric.compared);
    const { verdict, undecided, checks } = judgeAgainstControls(judged, judged.controls, {
      totals,
      unknown,
      metric,
      decision,
      level,
    });
    const { interval } = judged.estimate;
    const isAcrossZero = interval !== null && !excludesZero(interval);
    const few = tooFew({ pairs, unknown }, pairing, request);
    const missing = [...claims.obstacles, ...(few.length > 0 ? shortTails(metric, pairing) : []), ...few];
    const beside = besideOf(judged.estimate, { verdict, metric, pairs, pairing });
    const lacking =
      missing.length === 0 && interval === null
        ? [reason('unbounded', whyUnbounded(metric.compared ?? 'ratio', pairs))]
        : missing;
    // More blocks add no pairs of instances, do not make a control agree, and end no other programs.
    const mayBeSettled = verdict === 'inconclusive' && unit !== 'instance-pair' && isAcrossZero && !beside;
    const blocksToSettle =
      mayBeSettled &&
      blocksThatSettle(judged.estimate, changes, {
        ...decision,
        level,
        exchanges: claims.exchanges,
        unknown: unknown.length,
        compared: metric.compared,
        totals,
      });
    return {
      ...numbers.found,
      ...notKnown(pairing, request),
      estimate: judged.estimate,
      ...(lacking.length > 0 ? { verdict: 'descriptive' as const } : { verdict, ...(undecided && { undecided }) }),
      ...(beside && { beside }),
      withheld: lacking,
      checks,
      ...(typeof blocksToSettle === 'number' && { blocksToSettle }),
    };
  });
  return judged && claims.replicas > 1 && unit === 'block' ? [...found, ...describeReplicas(pairing, request)] : found;
}

/** For too few pairs of instances for a verdict on the configurations: describes them by the value of each pair. */
function describeReplicas(pairing: Pairing, request: TrialsToCompare): Comparison[] {
  const { decision, limit } = request;
  const claims = { scope: 'configurations' as const };
  return compareMetrics({ ...pairing, ...sharedBy(pairing), decision, limit, claims }, (metric) => {
    const { found } = numbersBy(metric, pairing, request, { unit: 'instance-pair', exchanges: 0 });
    return { ...found, verdict: null };
  }).filter(({ metric }) => metric === decidingMetric(decision));
}

/** What the pairs say by one metric, by itself, and as its comparison has that. */
function numbersBy(
  metric: Metric,
  pairing: Pairing,
  request: TrialsToCompare,
  uniting: PairCombination = request.claims,
) {
  const own = estimatePairing(metric, pairing, { ...request, level: request.decision.level, uniting });
  const { estimate, unknown, shown, changes } = own;
  const pairs = shown.map((pair, index) => countedPair(pair, changes[index] ?? null));
  return { ...own, found: { estimate, pairs, trials: trialsOf(shown), unknown, ...valuesOf(shown) } };
}

/**
 * The losses of the servers and the unknown blocks, in the form in which the comparison of the declared metric keeps
 * them.
 */
function notKnown(pairing: Pairing, { trials }: TrialsToCompare): Pick<Comparison, 'unknownBlocks' | 'losses'> {
  const baseline = lossesOf(trials, pairing.baseline, pairing.level);
  const candidate = lossesOf(trials, pairing.candidate, pairing.level);
  const unknownBlocks = pairing.unknown.map(({ period: _, ...block }) => block);
  return {
    ...(unknownBlocks.length > 0 && { unknownBlocks }),
    ...(baseline.lost + candidate.lost > 0 && { losses: { baseline, candidate } }),
  };
}

/** Why the pairs are too few for a verdict. */
function tooFew({ pairs, unknown }: CombinedPairs, pairing: Pairing, request: TrialsToCompare): WithheldReason[] {
  const { claims } = request;
  if (!claims.drawn) return [];
  const { comparisons, level } = familyOf(pairing, request);
  const small = tooSmall(samplesOf(pairs, unknown), level);
  if (!small) return [];
  // A run with looks has no verdict before the first look that can have one, even if fewer blocks reach its level.
  const look = firstWithIntervals(request.looks ?? [], comparisons);
  const needed = look && blocksIn(request.trials) < look.blocks ? Math.max(look.blocks, small.needed) : small.needed;
  const count = small.pairs.length;
  const among = comparisons > 1 ? ` among ${comparisons} comparisons` : '';
  if (unknown.length === 0) {
    const were = `${withoutWords(small)}${count} ${unitWords(claims.unit, count)} ${count === 1 ? 'was' : 'were'} compared`;
    return [reason('too-few-blocks', `${were}, but a verdict${among} needs ${needed}`)];
  }
  const there = `${withoutWords(small)}there are ${count + small.unknown}`;
  return [
    reason(
      'too-few-beside-unknown',
      `${unknownWords(pairing.unknown)}, so the interval is unbounded: a verdict${among} then needs ${needed} ${unitWords(claims.unit, needed)}, but ${there}`,
    ),
  ];
}
