import type { Measures, Metric } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';
import { mean, sortedNumbers } from '../statistics/summaries.ts';
import type { BlockPair } from './counted-trials.ts';
import { movedTime, partOfTime } from './disturbed-scripts.ts';
import { sum } from './side-values.ts';
import { noticedShare, shareTaken } from './taken-by-others.ts';

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
 * However much they took, a trial that kept the share u of the processors busy can on a quiet machine do at most 2.5 / u
 * times as much: all processors work for it, and a transaction takes no less than two fifths of their time. Two threads
 * that share a core take at most about twice the time, and emptied caches were seen to cost 30%.
 */
const lossForShare = 2;
const dearest = 2.5;
/** Shares of two trials that are closer are the same to a metric that nothing bounds. */
const sameShares = 0.01;
/**
 * Log of how many times as fast a trial became because others kept processors awake that would otherwise have slept (4.6 times
 * at most in measurements with one client on two processors).
 */
const gainOfAwake = Math.log(5);

/** How much lower and higher the change may be, on the scale of its metric; 0 or more, infinite without a bound. */
export interface Shift {
  lower: number;
  higher: number;
}

/** What programs outside the run can explain of a comparison; `quiet` includes `alike`. */
export interface Shifts {
  /** To what a quiet machine would show. Shares that are not noticed count as nothing. */
  quiet: Shift;
  /** To what both sides beside equal programs would show. */
  alike: Shift;
}

/** Log of how many times as much a trial may do on a quiet machine, by the share of others and by what it had itself. */
function lossAt(share: number, own: number | null): number {
  const byShare = -Math.log1p(-Math.min(1, lossForShare * share));
  return Math.min(byShare, own === null ? Infinity : Math.log(dearest / own));
}

/** Whether processors may have slept in a quiet trial and woke up late, and fewer did beside others. */
function canGain(measures: Measures): boolean {
  const { 'driver.awake': awake, 'driver.processors': processors = null, 'load.clients': clients = null } = measures;
  return awake !== 1 && (clients === null || processors === null || clients <= processors);
}

/** What others took of a trial, and how far that can have moved it. @param always share of what is beside all trials */
function observe({ measures }: Trial, always: number, metric: string) {
  const share = shareTaken(measures) ?? 0;
  const own = measures['driver.own'] ?? null;
  const isNoticed = share >= noticedShare;
  const left = Math.max(negligible, 1 - always);
  return {
    share,
    /** The part of the clients' time that the script of the metric took; null if it is of none, or if that is not known. */
    partOfTime: partOfTime(measures, metric),
    /** Shares of the processors that are left by what is beside all trials: of others, and of the run. */
    restShares: { share: Math.min(1, Math.max(0, share - always) / left), own: own === null ? null : own / left },
    /** Of what others left, the part that the run had; at least a little, so that bounds stay finite. */
    part: own === null ? 1 : Math.min(1, Math.max(negligible, own / Math.max(negligible, 1 - share))),
    loss: isNoticed ? lossAt(share, own) : 0,
    gain: isNoticed && canGain(measures) ? gainOfAwake : 0,
  };
}

type Observed = ReturnType<typeof observe>;
type Side = 'baseline' | 'candidate';
type ObservedPair = Record<Side, Observed>;

const negligible = 0.001;

/**
 * Threads that could run throughout all trials are the same beside both sides, whatever the sides left them of the
 * processors: a variant with more processes leaves them less, and that is its effect, not theirs.
 *
 * @returns the share that they had of a trial
 */
function besideAll(trials: readonly Trial[]): (trial: Trial) => number {
  const [first = {}, ...others] = trials.map(({ facts }) => facts.alwaysRunnable ?? {});
  const threads = Object.keys(first).filter((thread) => others.every((of) => thread in of));
  return ({ facts }) => sum(threads.map((thread) => facts.alwaysRunnable?.[thread] ?? 0));
}

/**
 * By how much more one side can typically have lost than the other, on the log scale, without what is beside all trials. If a trial loses any part of its
 * bound, the same in all trials, differences are moved by that part of x, the difference of the bounds of a pair. Where x
 * does not depend on the side, as with programs that come and go, it is noise, and the random order makes it symmetric.
 * Where it does, it moves the typical difference by at most its mean or its own typical value: while few pairs have it,
 * by less than the mean. Of several laws within the bounds, the worst counts.
 */
function lossBeyond(pairs: readonly ObservedPair[]): Between {
  const trials = pairs.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  // By one bound for all trials, that of the smallest part, so that equal shares explain nothing.
  const part = Math.min(...trials.map((trial) => trial.part));
  const bound = ({ restShares: { share } }: Observed): number => lossAt(share, part * Math.max(negligible, 1 - share));
  const sorted = sortedNumbers(trials.map(bound));
  // A loss may also stop to grow, wherever, or be the same multiple of each share.
  const ends = Array.from({ length: 9 }, (_, index) => sorted[Math.floor((index * (sorted.length - 1)) / 8)] ?? 0);
  const multiple = Math.min(
    lossForShare,
    ...trials.flatMap(({ restShares: { share, own } }) =>
      share > 0 && own !== null ? [(1 - own / dearest) / share] : [],
    ),
  );
  const laws = [
    ...ends.map((end) => (trial: Observed) => Math.min(end, bound(trial))),
    ({ restShares: { share } }: Observed) => -Math.log(Math.max(negligible, 1 - multiple * share)),
  ];
  return (one, other) =>
    Math.max(...laws.map((lost) => farthest(pairs.map((pair) => lost(pair[one]) - lost(pair[other])))));
}

/** By how much one side can have gained more than the other beside equal programs. */
function gainBeyond(pairs: readonly ObservedPair[], gained: Side, other: Side): number {
  return farthest(pairs.map((pair) => pair[gained].gain - pair[other].gain));
}

/** What others can explain of a metric that goes with the pace of the whole run. */
function shiftsOf(pairs: readonly ObservedPair[]): Shifts {
  const lost = lossBeyond(pairs);
  const beyond = (one: Side, other: Side): number => lost(one, other) + gainBeyond(pairs, other, one);
  const inAll = (one: Side, other: Side): number => farthest(pairs.map((pair) => pair[one].loss + pair[other].gain));
  return shiftsBetween(beyond, inAll);
}

type Between = (one: Side, other: Side) => number;

/** @param beyond what one side can have lost more than the other @param inAll what it can have lost while the other lost nothing */
function shiftsBetween(beyond: Between, inAll: Between): Shifts {
  const alike = { lower: beyond('baseline', 'candidate'), higher: beyond('candidate', 'baseline') };
  return {
    alike,
    quiet: {
      lower: Math.max(alike.lower, inAll('baseline', 'candidate')),
      higher: Math.max(alike.higher, inAll('candidate', 'baseline')),
    },
  };
}

/** The most by which parts of these values can move a typical one; 0 if they are below zero. */
function farthest(values: readonly number[]): number {
  if (values.includes(Infinity)) return Infinity;
  const bounded = values.map((value) => Math.max(-1 / negligible, value));
  return Math.max(0, mean(bounded), hodgesLehmann(bounded) ?? 0);
}

/** Nothing bounds what a preemption does to a percentile. */
function unboundedShifts(pairs: readonly ObservedPair[]): Shifts {
  const differ = pairs.some(
    ({ baseline, candidate }) => Math.abs(baseline.restShares.share - candidate.restShares.share) > sameShares,
  );
  const [alike, quiet] = [differ ? Infinity : 0, differ || areNoticed(pairs) ? Infinity : 0];
  return { alike: { lower: alike, higher: alike }, quiet: { lower: quiet, higher: quiet } };
}

/**
 * What others can explain of the time of one script. Beside equal programs, a side can have lost as much more than the other as
 * the whole run can, all of it by this script; programs that come and go are noise, as for the whole run.
 */
function shiftsOfScript(pairs: readonly ObservedPair[]): Shifts {
  const lost = lossBeyond(pairs);
  const reach = (slowed: Side, eased: Side, lossesOf: (trial: Observed) => Losses): number =>
    farthest(pairs.map((pair) => timeMoved(pair[slowed], lossesOf).slowed + timeMoved(pair[eased], lossesOf).eased));
  const beyond = (one: Side, other: Side): number => {
    const loss = lost(one, other);
    return reach(one, other, () => ({ loss, gain: 0 })) + gainBeyond(pairs, other, one);
  };
  const inAll = (one: Side, other: Side): number => (areNoticed(pairs) ? reach(one, other, (trial) => trial) : 0);
  return shiftsBetween(beyond, inAll);
}

type Losses = Pick<Observed, 'loss' | 'gain'>;

function timeMoved(trial: Observed, lossesOf: (trial: Observed) => Losses): ReturnType<typeof movedTime> {
  return movedTime(trial.partOfTime, lossesOf(trial));
}

function areNoticed(pairs: readonly ObservedPair[]): boolean {
  return pairs.some(({ baseline, candidate }) => Math.max(baseline.share, candidate.share) >= noticedShare);
}

function mirrored({ lower, higher }: Shift): Shift {
  return { lower: higher, higher: lower };
}

/**
 * Whether a metric goes with the pace of the whole run: throughput, and the time of a transaction if clients are always busy. Of
 * others, such as a percentile, nothing bounds what a preemption does to them.
 */
export function keepsPace({ pace = false, kind }: Pick<Metric, 'pace' | 'kind'>, areClientsBusy: boolean): boolean {
  return pace && (kind !== 'latency' || areClientsBusy);
}

/**
 * What others can explain of a comparison.
 *
 * @returns null if no trial was beside others, or nobody looked
 */
export function shiftsIn(counted: readonly BlockPair[], metric: Metric | undefined): Shifts | null {
  if (!metric || counted.length === 0) return null;
  const trials = counted.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  const always = besideAll(trials);
  const pairs = counted.map(({ baseline, candidate }) => ({
    baseline: observe(baseline, always(baseline), metric.name),
    candidate: observe(candidate, always(candidate), metric.name),
  }));
  const isOfScript = pairs.every(
    ({ baseline, candidate }) => baseline.partOfTime !== null && candidate.partOfTime !== null,
  );
  const areClientsBusy = trials.every(({ measures: { 'client.turn': turn = null } }) => turn !== null);
  const { quiet, alike } = keepsPace(metric, areClientsBusy)
    ? shiftsOf(pairs)
    : isOfScript
      ? shiftsOfScript(pairs)
      : unboundedShifts(pairs);
  if (quiet.lower === 0 && quiet.higher === 0) return null;
  const isTime = metric.better === 'lower';
  return isTime ? { quiet: mirrored(quiet), alike: mirrored(alike) } : { quiet, alike };
}

/**
 * About the smallest relative change of the throughput that stands for a quiet machine if others go on to take this
 * share of a load that takes the rest.
 */
export function smallestQuietChange(share: number): number {
  return Math.expm1(lossAt(share, 1 - share));
}
