import type { Measures } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { mean } from '../statistics/summaries.ts';
import type { BlockPair } from './counted-trials.ts';

/** A smaller share is not said: the system itself takes as much. */
export const noticedShare = 0.03;

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
  return programsIn(counted.flatMap(({ baseline, candidate }) => [baseline, candidate]));
}

/** The same of any trials. */
export function programsIn(trials: readonly Trial[]): { name: string; processors: number }[] {
  const sums = new Map<string, number>();
  for (const { name, processors } of trials.flatMap(({ facts }) => facts.neighbours ?? []))
    sums.set(name, (sums.get(name) ?? 0) + processors / trials.length);
  return [...sums]
    .map(([name, processors]) => ({ name, processors }))
    .sort((one, other) => other.processors - one.processors)
    .slice(0, namedPrograms);
}

const namedPrograms = 3;
