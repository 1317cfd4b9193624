import { trialsOfPair } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { type Level, levelKey, levelOf, type Trial } from '../contract/trial.ts';

/**
 * Ids of the trials that the comparisons used: those of the declared metric, or of any metric if none was declared. Tables,
 * charts and checks show these. Other trials are named, but count for nothing.
 */
export function countedTrials({ trials, comparisons }: Pick<Result, 'trials' | 'comparisons'>): ReadonlySet<string> {
  const primary = comparisons.filter((comparison) => comparison.primary);
  const used = new Set(
    (primary.length > 0 ? primary : comparisons).flatMap(({ baseline, candidate, conditions, pairs }) =>
      pairs
        .flatMap(trialsOfPair)
        .flatMap(({ block, attempt, replica }) =>
          [baseline.variant, candidate.variant].map((variant) =>
            keyOf({ variant, level: replica === undefined ? conditions : { ...conditions, replica }, block, attempt }),
          ),
        ),
    ),
  );
  return new Set(trials.flatMap((trial) => (used.has(keyOfTrial(trial)) ? [trial.id] : [])));
}

function keyOfTrial({ conditions, block, attempt }: Trial): string {
  return keyOf({ variant: conditions.variant, level: levelOf(conditions), block, attempt });
}

function keyOf(of: { variant: string; level: Level; block: number; attempt: number }): string {
  return JSON.stringify([of.variant, levelKey(of.level), of.block, of.attempt]);
}
