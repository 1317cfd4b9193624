import { type Comparison, type PairOfIds, trialsOfPair } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { type Level, levelKey, levelOf, type Trial } from '../contract/trial.ts';
import type { BlockPair, UnknownPair } from './pairs.ts';

/**
 * Ids of the trials that the comparisons used: those of the declared metric, or of any metric if none was declared. Tables,
 * charts and checks show these. Other trials are named, but count for nothing.
 */
export function countedTrials({ comparisons }: Pick<Result, 'comparisons'>): ReadonlySet<string> {
  const primary = comparisons.filter((comparison) => comparison.primary);
  return new Set(
    (primary.length > 0 ? primary : comparisons).flatMap(({ trials }) =>
      trials.flatMap(({ baseline, candidate }) => [baseline, candidate]),
    ),
  );
}

/** The trials that a comparison used, and the blocks that are unknown to it. */
export function blocksOf(
  { trials: used, unknownBlocks = [] }: Pick<Comparison, 'trials' | 'unknownBlocks'>,
  trials: readonly Trial[],
): { counted: BlockPair[]; unknown: UnknownPair[] } {
  const byId = new Map(trials.map((trial) => [trial.id, trial]));
  const find = (id: string): Trial => {
    const trial = byId.get(id);
    if (!trial) throw new Error(`a comparison of ${id}, which is no trial of the run`);
    return trial;
  };
  return {
    counted: used.map((ids) => {
      const [baseline, candidate] = [find(ids.baseline), find(ids.candidate)];
      const { block, attempt, period = 1, conditions } = baseline;
      const replica = typeof conditions['replica'] === 'number' ? conditions['replica'] : undefined;
      return { block, attempt, replica, period, baseline, candidate };
    }),
    unknown: unknownBlocks.map((one) => ({ ...one, period: byId.get(one.trials[0] ?? '')?.period ?? 1 })),
  };
}

/** Comparisons of a file that does not say which trials they used, with what follows from their pairs. */
export function withTrialIds(comparisons: readonly Comparison[], trials: readonly Trial[]): Comparison[] {
  const ids = new Map(
    trials.map((trial) => [
      placeOf({ ...trial, variant: trial.conditions.variant, level: levelOf(trial.conditions) }),
      trial.id,
    ]),
  );
  return comparisons.map((comparison) => {
    const { baseline, candidate, conditions, pairs } = comparison;
    if (comparison.trials.length > 0) return comparison;
    const found = pairs.flatMap(trialsOfPair).flatMap(({ block, attempt, replica }): PairOfIds[] => {
      const level = replica === undefined ? conditions : { ...conditions, replica };
      const [one, other] = [baseline, candidate].map(({ variant }) =>
        ids.get(placeOf({ variant, level, block, attempt })),
      );
      return one !== undefined && other !== undefined ? [{ baseline: one, candidate: other }] : [];
    });
    return { ...comparison, trials: found };
  });
}

function placeOf(of: { variant: string; level: Level; block: number; attempt: number }): string {
  return JSON.stringify([of.variant, levelKey(of.level), of.block, of.attempt]);
}
