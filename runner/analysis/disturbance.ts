import type { Measures, Metric } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { mean } from '../statistics/summaries.ts';
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
 * However much they took, a trial that kept the share u of the processors busy can on a quiet machine do at most 2.5 / u
 * times as much: all processors work for it, and a transaction takes no less than two fifths of their time. Two threads
 * that share a core take at most about twice the time, and emptied caches were seen to cost 30 %.
 */
const lossForShare = 2;
const dearest = 2.5;
/** A smaller share is not said: the system itself takes as much. */
export const noticedShare = 0.03;
/** Shares of two trials that are closer are the same to a metric that nothing bounds. */
const sameShares = 0.01;
/** Shares of two trials that are farther apart are not equal in any sense. */
const clearlyMore = 0.05;
/**
 * Log of how many times as fast a trial became because others kept processors awake that would otherwise have slept (4.6 times
 * at most in measurements with one client on two processors).
 */
const gainOfAwake = Math.log(5);

/** How much lower and higher the difference of a pair may be, on the scale of its metric; 0 or more. */
export interface Shift {
  lower: number;
  higher: number;
}

/** What programs outside the run can explain of the difference of a pair; `quiet` includes `alike`. */
export interface Shifts {
  /** To what a quiet machine would show. Shares that are not noticed count as nothing. */
  quiet: Shift;
  /** To what both sides beside equal programs would show: what the difference of the two shares can explain. */
  alike: Shift;
}

/**
 * The share of the processors that others took of a trial; null if unknown. Other virtual machines take from processors
 * that the run wants, so theirs is a share of what it then had.
 */
export function shareTaken({
  'driver.others': others = null,
  'driver.own': own = null,
  'driver.steal': steal,
}: Measures): number | null {
  if (others === null) return null;
  const stolen = steal ?? 0;
  return Math.min(1, others + (stolen > 0 && own !== null ? stolen / (own + stolen) : stolen));
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

/** What others can explain of the difference between two trials. */
function shiftsOf(baseline: Measures, candidate: Measures, metric: Metric): Shifts {
  const sides = [baseline, candidate].map((measures) => {
    const share = shareTaken(measures) ?? 0;
    const isNoticed = share >= noticedShare;
    return {
      share,
      faster: isNoticed ? lossAt(share, measures['driver.own'] ?? null) : 0,
      slower: isNoticed && canGain(measures) ? gainOfAwake : 0,
      // By the share alone, so that equal shares explain nothing: beside them, a load that has little itself loses no less.
      atShare: lossAt(share, 1 - share),
    };
  });
  const [before, after] = sides;
  if (!before || !after) throw new Error('a pair has two sides');
  if (!keepsPace(metric, [baseline, candidate])) {
    // Nothing bounds what a preemption does to a percentile.
    const [one, both] = [
      Math.abs(before.share - after.share) > sameShares ? Infinity : 0,
      Math.max(before.share, after.share) >= noticedShare ? Infinity : 0,
    ];
    const alike = { lower: one, higher: one };
    return { alike, quiet: covering({ lower: both, higher: both }, alike) };
  }
  const beyond = (one: number, other: number): number => (one > other ? one - other : 0);
  type Observed = typeof before;
  // Beside clearly more, a load that has little itself may have lost more than the shares alone say.
  const lossBeyond = (one: Observed, other: Observed): number =>
    Math.max(
      beyond(one.atShare, other.atShare),
      one.share > other.share + clearlyMore ? beyond(one.faster, other.faster) : 0,
    );
  const alike = {
    lower: lossBeyond(before, after) + beyond(after.slower, before.slower),
    higher: lossBeyond(after, before) + beyond(before.slower, after.slower),
  };
  const quiet = covering({ lower: before.faster + after.slower, higher: after.faster + before.slower }, alike);
  const isTime = metric.better === 'lower';
  return isTime ? { quiet: mirrored(quiet), alike: mirrored(alike) } : { quiet, alike };
}

function covering(shift: Shift, other: Shift): Shift {
  return { lower: Math.max(shift.lower, other.lower), higher: Math.max(shift.higher, other.higher) };
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
 * @returns null if no trial was beside others, or nobody looked
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

/** The mean share that others took of the trials of each side. */
export function takenOf(counted: readonly BlockPair[]): { baseline: number; candidate: number } {
  const sideOf = (trials: readonly Trial[]): number => mean(trials.map(({ measures }) => shareTaken(measures) ?? 0));
  return {
    baseline: sideOf(counted.map(({ baseline }) => baseline)),
    candidate: sideOf(counted.map(({ candidate }) => candidate)),
  };
}

/** Whether others took a noticeable share of a trial. */
export function isNoticed(counted: readonly BlockPair[]): boolean {
  return counted.some(({ baseline, candidate }) =>
    [baseline, candidate].some(({ measures }) => (shareTaken(measures) ?? 0) >= noticedShare),
  );
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
 * About the smallest relative change of the throughput that stands for a quiet machine if others go on to take this
 * share of a load that takes the rest.
 */
export function smallestQuietChange(share: number): number {
  return Math.expm1(lossAt(share, 1 - share));
}
