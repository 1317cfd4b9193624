import { decidingMetric, type Decision } from '../contract/experiment/schema.ts';
import type { ContrastAt } from '../experiment/groups.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { countedBlocks, type CountedBlocks } from './pairs.ts';
import { levelAt, blocksIn } from './stopping.ts';
import type { Metric } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { reason, type WithheldReason } from '../contract/withheld.ts';
import { comparedValue, isWithheld, tailOf } from '../metrics/value.ts';
import { simultaneousLevel } from '../statistics/exact-interval.ts';
import { type Shifts, shiftsIn } from './disturbance.ts';
import { isNoticed } from './taken-by-others.ts';
import { estimatePaired } from './estimate.ts';
import { type PairCombination, readAllPairs } from './units.ts';
import type { Look } from '../statistics/sequential.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import type { Claims } from './claims.ts';

export interface TrialsToCompare {
  trials: readonly Trial[];
  /** Each candidate with its baseline, at each level, in the order in which they are shown. They are judged together. */
  contrasts: readonly ContrastAt[];
  /**
   * Variants that are the baseline once more. They are judged apart from the candidates, and every candidate is also
   * judged against them.
   */
  controls: readonly string[];
  /** Further pairs to compare. They are only described. */
  described?: readonly ContrastAt[];
  decision: Decision;
  /** Level of all verdicts together, if that of the run's start is higher. @default that of the decision */
  level?: number;
  /** Looks of a run that may stop early. They set the level of the intervals. */
  looks?: readonly Look[] | undefined;
  limit: WorkloadShape['limit'];
  claims: Claims;
}

/** Two variants at one level, with the pairs that count. */
export type Pairing = ContrastAt &
  CountedBlocks & {
    /** What other programs can explain of the declared metric; null for nothing. */
    shifts: Shifts | null;
  };

export function pairingOf(contrast: ContrastAt, { trials, decision, limit, claims }: TrialsToCompare): Pairing {
  const metric = metricNamed(decidingMetric(decision));
  const declared = metric && { metric, limit };
  const blocks = countedBlocks(trials, { ...contrast, declared });
  // Beside a driver, others take nothing from servers elsewhere.
  const shifts = claims.sharesMachine ? shiftsIn(blocks.counted, metric) : null;
  return { ...contrast, ...blocks, shifts };
}

/** The level of an interval that is judged by itself. */
export function aloneLevel({ looks, trials, decision, level = decision.level }: TrialsToCompare): number {
  return levelAt(looks, blocksIn(trials), level);
}

export function estimateDeclared(pairing: Pairing, level: number, request: TrialsToCompare) {
  const metric = metricNamed(decidingMetric(request.decision));
  return estimatePairing(metric, pairing, { ...request, level, uniting: request.claims });
}

/**
 * Estimates one metric of a contest, from the blocks in which both sides have it. If a trial withholds it, there is
 * nothing to estimate: the others are the faster ones. Of the declared metric, such blocks are unknown instead.
 */
export function estimatePairing(
  metric: Metric | undefined,
  pairing: Pairing,
  {
    limit,
    claims,
    level,
    uniting,
    decision,
  }: Pick<TrialsToCompare, 'limit' | 'claims' | 'decision'> & { level: number; uniting: PairCombination },
) {
  const isDeclared = metric?.name === decidingMetric(decision);
  const compared = metric?.compared ?? 'ratio';
  const compares = pairing.counted.length > 0 ? pairing.counted : pairing.blocks;
  const isTold =
    isDeclared ||
    !compares.some((pair) =>
      [pair.baseline, pair.candidate].some((trial) => metric && isWithheld(metric, trial, limit)),
    );
  const valueOf = (trial: Trial): number | null => (metric && isTold ? comparedValue(metric, trial, limit) : null);
  const { pairs, unknown, described } = readAllPairs(pairing, valueOf, { ...uniting, compared });
  const shown = pairs.length > 0 ? pairs : described;
  const { changes, ...estimate } = estimatePaired(shown, compared, {
    level: claims.drawn ? level : null,
    unit: uniting.unit,
    unknown,
    isDescribed: pairs.length === 0,
    shifts: isDeclared ? pairing.shifts : shiftsBeside(metric, pairing, claims),
  });
  return { pairs, unknown, shown, changes, estimate };
}

/** What other programs can explain of what else the load measured; null for nothing. */
function shiftsBeside(metric: Metric | undefined, { counted }: Pairing, { sharesMachine }: Claims): Shifts | null {
  return metric?.reportedByLoad && sharesMachine && isNoticed(counted) ? shiftsIn(counted, metric) : null;
}

/**
 * How many comparisons are judged together, including this one, and the level of each, so that all hold at once. The
 * controls at all levels are their own family.
 */
export function familyOf({ candidate }: Pairing, request: TrialsToCompare): { comparisons: number; level: number } {
  const { controls, contrasts } = request;
  const isControl = controls.includes(candidate);
  const comparisons = contrasts.filter((one) => controls.includes(one.candidate) === isControl).length;
  return { comparisons, level: simultaneousLevel(aloneLevel(request), comparisons) };
}

/** Why trials of a contest have no value of a percentile that decides; empty if that is not why. */
export function shortTails({ name, quantile }: Metric, { blocks }: Pairing): WithheldReason[] {
  if (quantile === undefined) return [];
  const tails = blocks
    .flatMap(({ baseline, candidate }) => [baseline, candidate])
    .map((one) => tailOf(name, one.measures));
  const short = tails.filter(({ isShort }) => isShort);
  const [first] = short;
  if (!first) return [];
  return [
    reason(
      'short-tail',
      `percentile: ${name} needs ${first.needed} transactions per trial, but ${short.length} of ${tails.length} trials have fewer`,
    ),
  ];
}
