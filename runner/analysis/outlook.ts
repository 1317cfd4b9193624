import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { decidingMetric, type Experiment } from '../contract/experiment/schema.ts';
import type { Trial } from '../contract/trial.ts';
import { controlsOf } from '../experiment/groups.ts';
import { designOf, plannedContrasts, togetherIn } from '../experiment/plan/design.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { comparedValue } from '../metrics/value.ts';
import { normalVariate } from '../statistics/distributions.ts';
import { minPairsFor, simultaneousLevel } from '../statistics/exact-interval.ts';
import { hodgesLehmann, signedRankInterval } from '../statistics/signed-rank.ts';
import type { Look } from '../statistics/sequential.ts';
import { medianSpread, spreadWithin } from '../statistics/spread.ts';
import { mean, median } from '../statistics/summaries.ts';
import { toolOf } from '../workloads/registry.ts';
import { type Shift, type Shifts, shiftsIn } from './disturbance.ts';
import type { Claims } from './claims.ts';
import { countedBlocks } from './pairs.ts';
import { blocksIn, looksOf } from './stopping.ts';
import { ratioFormat } from '../contract/format-change.ts';
import { wholePercent } from '../contract/format.ts';

/** What the blocks so far say about the answer that the planned ones can bring. */
export interface Outlook {
  /** The chance that some comparison that is not settled will be; not exact above `clear`. */
  chance: number;
  /**
   * Whether the run may end here: it has blocks enough, and no verdict of better or worse then comes from a look that was
   * not planned.
   */
  mayEnd: boolean;
  /** A sentence: which change can be seen, and what the change is so far. */
  words: string;
}

/** Two blocks say too little of how much blocks vary. */
const firstBlocks = 3;
/**
 * Before as many blocks, no run ends as unlikely to bring an answer: one block of three during which other programs came or
 * went hides an effect that six show.
 */
const minBlocksToEnd = 6;
/** At this chance of an answer, the outlook is worth a line. */
export const clear = 0.1;
/** At this chance, more blocks are not worth their time. */
export const futile = 0.05;
/** Futures that are drawn. */
const futures = 400;
/** Not the seed of the experiment: the same blocks have the same outlook. */
const seed = 11;

/** Whether so few blocks are planned that the outlook may be asked for after each of them. */
export function hasFewBlocks({ protocol }: Pick<Experiment, 'protocol'>): boolean {
  return protocol.blocks <= 40;
}

/**
 * The outlook after these trials: whether the blocks that are left can still settle the comparisons. Futures are drawn from what is
 * known after so few blocks of their mean and spread, with the predictive distribution of independent normal log-ratios
 * (Spiegelhalter, Freedman & Blackburn 1986, "Monitoring clinical trials: conditional or predictive power?", Controlled
 * Clinical Trials 7). Each is judged at the planned looks by the exact intervals that judge real ones, with what other
 * programs can explain. Totals are left out, so that the chance is rather too high.
 *
 * To end at a small chance is to stop for futility. Such a stop only takes looks away, so the error of better and
 * worse never rises (non-binding: Lan, Simon & Halperin 1982, "Stochastically curtailed testing in long-term clinical
 * trials", Sequential Analysis 1).
 *
 * @param trials as they are compared: without the starts that `protocol.truncate` leaves out
 * @param experiment at the level of its start
 * @param place.sharesMachine whether the servers are on the machine of the load. What others do there is nothing to servers elsewhere
 * @returns null if it is too soon or too late to ask, if an answer is still likely, or for a design that is not judged by blocks
 */
export function outlookOf(
  trials: readonly Trial[],
  experiment: Experiment,
  { sharesMachine }: Pick<Claims, 'sharesMachine'>,
): Outlook | null {
  const { protocol, decision } = experiment;
  const { unit, drawn, obstacles, replicas, exchanges } = designOf(experiment);
  const blocks = blocksIn(trials);
  const metric = metricNamed(decidingMetric(decision));
  const isByBlocks = unit === 'block' && replicas === 1 && exchanges === 0 && drawn && protocol.until !== 'precision';
  if (!isByBlocks || !metric || metric.compared === 'difference' || obstacles.length > 0) return null;
  if (blocks < firstBlocks || blocks >= protocol.blocks) return null;
  const looks = looksOf(experiment) ?? [{ blocks: protocol.blocks, level: decision.level }];
  const together = togetherIn(experiment);
  // Without an interval at any look, it is the plan that allows no answer, and it says so.
  if (looks.every((look) => look.blocks < minPairsFor(simultaneousLevel(look.level - 1e-12, together)))) return null;
  const isBeforeAny = blocks < minPairsFor(simultaneousLevel(decision.level, together));
  const isLook = isBeforeAny || looks.some((look) => look.blocks === blocks);
  if (!isLook && !hasFewBlocks(experiment)) return null;
  const mayEnd = isLook && blocks >= minBlocksToEnd;
  const controls = controlsOf(experiment);
  const { limit } = toolOf(experiment.workload).shape(experiment.workload);
  const contrasts = plannedContrasts(experiment);
  const candidates = contrasts.filter(({ candidate }) => !controls.includes(candidate));
  const open: (Observed & { candidate: string; chance: number })[] = [];
  for (const contrast of candidates.length > 0 ? candidates : contrasts) {
    const { counted, unknown } = countedBlocks(trials, { ...contrast, declared: { metric, limit } });
    const lost = new Set(unknown.map(({ block }) => block));
    const known = counted.filter(({ block }) => !lost.has(block));
    const ratios = known.map(({ baseline, candidate }) => {
      const [before, after] = [baseline, candidate].map((trial) => comparedValue(metric, trial, limit) ?? NaN);
      return Math.log((after ?? NaN) / (before ?? NaN));
    });
    if (ratios.length < firstBlocks || !ratios.every(Number.isFinite)) return null;
    // What others did goes on.
    const shifts = (sharesMachine ? shiftsIn(counted, metric) : null) ?? none;
    const threshold = Math.log1p(decision.practicalThreshold);
    const observed = {
      ratios,
      shifts,
      unknown: lost.size,
      blocks,
      planned: protocol.blocks,
      looks,
      together,
      threshold,
    };
    if (looks.some((look) => look.blocks === blocks && settles(ratios, look, observed))) continue;
    // Once others are found, Holm's steps may leave the whole error to this one.
    const chance = chanceOf({ ...observed, together: 1 });
    if (chance > clear) return null;
    open.push({ ...observed, candidate: contrast.candidate, chance });
  }
  const [likeliest] = open.toSorted((one, other) => other.chance - one.chance);
  if (!likeliest) return null;
  return {
    chance: likeliest.chance,
    mayEnd,
    words: `${open.length > 1 ? `${likeliest.candidate}: ` : ''}${outlookWords(likeliest)}`,
  };
}

interface Observed {
  /** Logs of the ratios of the pairs of trials. */
  ratios: readonly number[];
  /** What other programs can explain of them. */
  shifts: Shifts;
  /** Blocks whose values are unknown. */
  unknown: number;
  blocks: number;
  planned: number;
  looks: readonly Look[];
  /** Comparisons that are judged together. */
  together: number;
  /** On the log scale. */
  threshold: number;
}

const nothing: Shift = { lower: 0, higher: 0 };
const none: Shifts = { quiet: nothing, alike: nothing };

type Judging = Pick<Observed, 'shifts' | 'unknown' | 'together' | 'threshold'>;

/** The ends of the interval at a look, moved by what other programs can explain; without bounds if there is no interval. */
function endsAt(
  ratios: readonly number[],
  look: Look,
  kind: keyof Shifts,
  { shifts, unknown, together }: Judging,
): Shift {
  // Slightly less, so that rounding does not miss a level that can be reached exactly.
  const interval = signedRankInterval(ratios, simultaneousLevel(look.level - 1e-12, together), unknown);
  const { lower, higher } = shifts[kind];
  return { lower: (interval?.low ?? -Infinity) - lower, higher: (interval?.high ?? Infinity) + higher };
}

/** Whether these pairs have a verdict of better, worse or equivalent at a look. */
function settles(ratios: readonly number[], look: Look, judging: Judging): boolean {
  const { lower, higher } = endsAt(ratios, look, 'alike', judging);
  if (lower > 0 || higher < 0) return true;
  if (higher - lower > 2 * judging.threshold) return false;
  const quiet = endsAt(ratios, look, 'quiet', judging);
  return judging.unknown === 0 && quiet.lower >= -judging.threshold && quiet.higher <= judging.threshold;
}

/** The chance that the blocks that are left settle the comparison; as much as is needed to know that it is above `clear`. */
function chanceOf(observed: Observed): number {
  const { ratios, blocks, planned, looks } = observed;
  const { standardDeviation, degreesOfFreedom } = spreadWithin([ratios]) ?? {
    standardDeviation: 0,
    degreesOfFreedom: 1,
  };
  const normal = normals();
  const later = looks.filter((look) => look.blocks > blocks);
  let settled = 0;
  for (let drawn = 0; drawn < futures && settled <= clear * futures; drawn++) {
    const squares = Array.from({ length: degreesOfFreedom }, () => normal() ** 2).reduce((sum, one) => sum + one, 0);
    const spread = standardDeviation * Math.sqrt(degreesOfFreedom / squares);
    const centre = mean(ratios) + (spread / Math.sqrt(ratios.length)) * normal();
    const all = [...ratios, ...Array.from({ length: planned - blocks }, () => centre + spread * normal())];
    if (later.some((look) => settles(all.slice(0, ratios.length + look.blocks - blocks), look, observed))) settled++;
  }
  return settled / futures;
}

/**
 * The change that planned blocks which vary like those so far show with an even chance. An interval moves with its
 * values, so the change that takes it beyond zero is where its end is without one.
 *
 * @returns on the log scale; infinite if other programs can explain any change
 */
function smallestVisible(observed: Observed, isRise: boolean): number {
  const spread = spreadWithin([observed.ratios]);
  const normal = normals();
  const needed = Array.from({ length: futures / 4 }, () => {
    const all = Array.from({ length: observed.planned }, () => (spread ? medianSpread(spread) : 0) * normal());
    const ends = observed.looks.map((look) => {
      const { lower, higher } = endsAt(all.slice(0, look.blocks - observed.unknown), look, 'alike', observed);
      return isRise ? -lower : higher;
    });
    return Math.min(...ends);
  });
  return median(needed) ?? Infinity;
}

function outlookWords(observed: Observed): string {
  const centre = hodgesLehmann(observed.ratios) ?? 0;
  const isRise = centre > 0;
  const visible = smallestVisible(observed, isRise);
  const amountOf = (log: number): { amount: string; isMultiple: boolean } => {
    const change = Math.expm1(isRise ? log : -log);
    const { isMultiple, size } = ratioFormat(change);
    return {
      amount: isMultiple ? `${size(change)} as much` : wholePercent(Number(Math.abs(change).toPrecision(2))),
      isMultiple,
    };
  };
  const known = amountOf(Math.abs(centre));
  const soFar = `so far ${known.isMultiple ? 'it' : 'the difference'} is ${known.amount}`;
  const { lower, higher } = observed.shifts.alike;
  const explained = isRise ? lower : higher;
  if (explained === Infinity) return `What other programs take can explain any change in these blocks; ${soFar}.`;
  if (visible === Infinity)
    return `With ${observed.unknown} of ${observed.planned} blocks lost, no change can be seen; ${soFar}.`;
  const remedy = 'Stop them, or wait for a quiet machine with --quiet-machine awaited.';
  const hidden = Math.max(observed.shifts.quiet.lower, observed.shifts.quiet.higher);
  // Then it is equivalence that is open, whatever change could be seen.
  if (Math.abs(centre) <= observed.threshold && hidden > Math.max(observed.threshold, visible)) {
    const change = Math.expm1(hidden);
    const { isMultiple, size } = ratioFormat(change);
    const amount = `that one is up to ${isMultiple ? size(change) : `${wholePercent(change)} more than`} the other`;
    return `Other programs can hide ${hidden === Infinity ? 'any change' : amount}, so more blocks cannot show that the variants are equivalent; ${soFar}. ${remedy}`;
  }
  const min = amountOf(visible);
  const words = `About ${min.isMultiple ? min.amount : `a ${min.amount} change`} can be seen in ${observed.planned} blocks that vary like these; ${soFar}.`;
  if (smallestVisible({ ...observed, shifts: none }, isRise) > Math.abs(centre)) return words;
  return `${words} Other programs took more CPU beside one side, which can explain up to ${amountOf(explained).amount}. ${remedy}`;
}

function normals(): () => number {
  const generator = xoroshiro128plus(seed);
  return () => normalVariate(() => uniformFloat64(generator));
}
