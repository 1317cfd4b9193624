import { failures } from '../contract/check.ts';
import { isMeasuredAgain } from '../contract/outside-reason.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../contract/trial.ts';

/** How many trials of a variant came to an end of their own, and how many of them it lost. */
export interface Losses {
  lost: number;
  of: number;
}

/** Whether the trial measured what it should: it finished, and no check of it failed. */
export function isSound({ state, checks }: Pick<Trial, 'state' | 'checks'>): boolean {
  return state === 'finished' && failures(checks).length === 0;
}

/**
 * Whether the trial is a loss of its side: it failed, or failed a check, and nothing outside the servers explains it. What is
 * not on the list of outside reasons counts as the server's, so that nobody has to prove a crash or a stall. A loss is never
 * measured again.
 */
export function isLost({ state, failure, checks }: Pick<Trial, 'state' | 'failure' | 'checks'>): boolean {
  if (state === 'failed') return failure?.outside === undefined;
  return state === 'finished' && failures(checks).some(({ outside }) => outside === undefined);
}

/** Whether the trial may be measured again: it is not sound, for reasons alone that neither server brings about. */
export function isRepeatable(trial: Pick<Trial, 'state' | 'failure' | 'checks'>): boolean {
  const { state, failure, checks } = trial;
  const reasons = [failure?.outside, ...failures(checks).map(({ outside }) => outside)];
  return (
    state !== 'interrupted' &&
    !isSound(trial) &&
    !isLost(trial) &&
    reasons.every((reason) => reason === undefined || isMeasuredAgain(reason))
  );
}

/** Losses of a variant at a level, or at all levels without one, over all attempts and servers of its own. */
export function lossesOf(trials: readonly Trial[], variant: string, level?: Level): Losses {
  const keyOf = (one: Level): string => levelKey(comparedLevel(one));
  const own = trials.filter(
    ({ state, conditions }) =>
      state !== 'interrupted' &&
      conditions.variant === variant &&
      (level === undefined || keyOf(levelOf(conditions)) === keyOf(level)),
  );
  return { lost: own.filter(isLost).length, of: own.length };
}
