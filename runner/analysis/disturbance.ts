import type { Measures, Metric } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { median } from '../statistics/summaries.ts';
import type { BlockPair } from './counted-trials.ts';
import type { ValuePair } from './cross-over.ts';

/**
 * What programs outside the run can have done to a comparison. They are no reason to refuse an answer: the order of the
 * trials is drawn, and an effect that is larger than all they can explain stands beside them.
 *
 * A trial beside programs that took the share s of the processors lost at most the part 2 s of its throughput. A fair
 * scheduler takes s from a load that needs every processor, and nothing from one that leaves s idle (Denning & Buzen,
 * "The Operational Analysis of Queueing Network Models", ACM Computing Surveys 10, 1978). Preempted holders of locks,
 * and wake-ups that wait for a time slice, cost more: up to 2 s in 97 of 100 measurements on two processors, which is
 * also the bound for a run that stands still whenever anybody else runs there. With more processors it is an
 * assumption.
 *
 * However much they took, a trial that kept the share u of the processors busy can on a quiet machine do at most
 * (1 + 1.7 s) / u times as much: all processors work for it, and a transaction takes less of their time, since nobody
 * else empties their caches (up to 30 % less at s = 0.18).
 */
const lossForShare = 2;
const costForShare = 1.7;
/** A smaller share explains nothing: the system itself takes as much. */
export const leastShare = 0.03;
/**
 * Log of how many times as fast a trial became because others kept processors awake that would otherwise have slept (4.6 times
 * at most in measurements with one client on two processors).
 */
const gainOfAwake = Math.log(5);

/** How far a trial on a quiet machine may lie from what was measured, as factors in logarithms. */
interface Range {
  slower: number;
  faster: number;
}

/** How much lower and higher the difference of a pair may be, on the scale of its metric; 0 or more. */
export interface Shift {
  lower: number;
  higher: number;
}

/** What programs outside the run can explain of the difference of a pair. */
export interface Shifts {
  /** To what a quiet machine would show. */
  quiet: Shift;
  /** To what both sides beside equal programs would show. */
  alike: Shift;
}

/** The share of the processors that others took of a trial: other programs, and other virtual machines; null if unknown. */
export function shareTaken({ 'driver.others': others = null, 'driver.steal': steal }: Measures): number | null {
  return others === null ? null : Math.min(1, others + (steal ?? 0));
}

/** Whether processors may have slept in a quiet trial and woke up late, and fewer did beside others. */
function canGain(measures: Measures): boolean {
  const { 'driver.awake': awake, 'driver.processors': processors = null, 'load.clients': clients = null } = measures;
  return awake !== 1 && (clients === null || processors === null || clients <= processors);
}

function rangeOf(measures: Measures): Range {
  const share = shareTaken(measures) ?? 0;
  if (share < leastShare) return { slower: 0, faster: 0 };
  const byShare = -Math.log1p(-Math.min(1, lossForShare * share));
  const { 'driver.own': own = null } = measures;
  const byWork = own === null ? Infinity : Math.log((1 + costForShare * share) / own);
  return { slower: canGain(measures) ? gainOfAwake : 0, faster: Math.min(byShare, byWork) };
}

/** What others can explain of the difference between two trials. */
function shiftsOf(baseline: Measures, candidate: Measures, metric: Metric): Shifts {
  const [before, after] = [rangeOf(baseline), rangeOf(candidate)];
  const isDisturbed = [before, after].some(({ faster }) => faster > 0);
  if (!isDisturbed) return { quiet: { lower: 0, higher: 0 }, alike: { lower: 0, higher: 0 } };
  if (!keepsPace(metric, [baseline, candidate])) {
    // Nothing bounds what a preemption does to a percentile.
    const differ = Math.abs((shareTaken(baseline) ?? 0) - (shareTaken(candidate) ?? 0)) >= leastShare ? Infinity : 0;
    return { quiet: { lower: Infinity, higher: Infinity }, alike: { lower: differ, higher: differ } };
  }
  const beyond = (one: number, other: number): number => (one > other ? one - other : 0);
  const quiet = { lower: before.faster + after.slower, higher: after.faster + before.slower };
  const alike = {
    lower: beyond(before.faster, after.faster) + beyond(after.slower, before.slower),
    higher: beyond(after.faster, before.faster) + beyond(before.slower, after.slower),
  };
  const isTime = metric.better === 'lower';
  return isTime ? { quiet: mirrored(quiet), alike: mirrored(alike) } : { quiet, alike };
}

function mirrored({ lower, higher }: Shift): Shift {
  return { lower: higher, higher: lower };
}

/** Whether a metric goes with the pace of the whole run: throughput, and the time of a transaction if clients are always busy. */
function keepsPace({ pace = false, kind }: Metric, trials: readonly Measures[]): boolean {
  return pace && (kind !== 'latency' || trials.every(({ 'client.turn': turn = null }) => turn !== null));
}

/**
 * What others can explain of each pair of a comparison, from the trials that it comes from: of several, the most.
 *
 * @returns null if no trial was beside others
 */
export function shiftsIn(
  counted: readonly BlockPair[],
  metric: Metric | undefined,
): ((pair: Pick<ValuePair, 'trials'>) => Shifts) | null {
  if (!metric) return null;
  const shifts = new Map(
    counted.map(({ baseline, candidate }) => [
      `${baseline.id} ${candidate.id}`,
      shiftsOf(baseline.measures, candidate.measures, metric),
    ]),
  );
  if ([...shifts.values()].every(({ quiet }) => quiet.lower === 0 && quiet.higher === 0)) return null;
  return ({ trials }) => {
    const own = trials.flatMap(({ ids }) => (ids && shifts.get(`${ids.baseline} ${ids.candidate}`)) ?? []);
    const most = (of: (shift: Shifts) => number): number => Math.max(0, ...own.map(of));
    return {
      quiet: { lower: most(({ quiet }) => quiet.lower), higher: most(({ quiet }) => quiet.higher) },
      alike: { lower: most(({ alike }) => alike.lower), higher: most(({ alike }) => alike.higher) },
    };
  };
}

/** The share that others took of the median trial of each side. */
export function takenOf(counted: readonly BlockPair[]): { baseline: number; candidate: number } {
  const sideOf = (trials: readonly Trial[]): number =>
    median(trials.map(({ measures }) => shareTaken(measures) ?? 0)) ?? 0;
  return {
    baseline: sideOf(counted.map(({ baseline }) => baseline)),
    candidate: sideOf(counted.map(({ candidate }) => candidate)),
  };
}

/** The programs that took most of the processors beside the trials of a comparison, with their mean number of processors. */
export function programsBeside(counted: readonly BlockPair[]): { name: string; processors: number }[] {
  const trials = counted.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  const sums = new Map<string, number>();
  for (const { name, processors } of trials.flatMap(({ facts }) => facts.neighbours ?? []))
    sums.set(name, (sums.get(name) ?? 0) + processors / trials.length);
  return [...sums]
    .map(([name, processors]) => ({ name, processors }))
    .sort((one, other) => other.processors - one.processors)
    .slice(0, namedPrograms);
}

const namedPrograms = 3;

/**
 * The smallest relative change that stands for a quiet machine if others go on to take this share.
 */
export function leastEffect(share: number): number {
  const { faster } = rangeOf({ 'driver.others': share, 'driver.own': 1 - share, 'driver.awake': 1 });
  return Math.expm1(faster);
}
