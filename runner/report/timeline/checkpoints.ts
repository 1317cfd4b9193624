import type { Trial } from '../../contract/trial.ts';
import type { Clock } from './thinning.ts';

/** Checkpoints of the trials of one variant whose server logged them. */
export interface CheckpointsOver {
  variant: string;
  /** In how many trials one was under way at each step. */
  inProgress: number[];
  trials: number;
  /** The part of the time of all its trials, from 0 to 1. */
  share: number;
}

type Logged = Pick<Trial, 'facts' | 'startedAt' | 'endedAt'>;

export function checkpointsOver(variant: string, trials: readonly Logged[], { step, steps }: Clock): CheckpointsOver {
  const known = trials.filter(({ facts }) => facts.checkpoints !== undefined);
  const all = known.map(underWayIn);
  const seconds = known.reduce((sum, trial) => sum + secondsOf(trial), 0);
  const during = all.flat().reduce((sum, { from, until }) => sum + until - from, 0);
  return {
    variant,
    inProgress: Array.from({ length: steps }, (_, at) => {
      return all.filter((own) => own.some(({ from, until }) => from < (at + 1) * step && until > at * step)).length;
    }),
    trials: known.length,
    share: seconds > 0 ? during / seconds : 0,
  };
}

/** From the start of the trial to its end, whenever they began and ended. */
function underWayIn(trial: Logged): { from: number; until: number }[] {
  const end = secondsOf(trial);
  return (trial.facts.checkpoints ?? [])
    .filter(({ restartpoint }) => !restartpoint)
    .map(({ startedAt, endedAt }) => ({ from: Math.max(0, startedAt), until: Math.min(end, endedAt ?? end) }))
    .filter(({ from, until }) => from < until);
}

export function secondsOf({ startedAt, endedAt }: Pick<Trial, 'startedAt' | 'endedAt'>): number {
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

/** With less of the time between checkpoints, shading would be one flat grey. */
const nearlyAlways = 0.95;

/** The least and the most of the time that any variant spent in checkpoints, if each did so nearly always. */
export function nearlyAlwaysUnderWay(checkpoints: readonly CheckpointsOver[]): { min: number; max: number } | null {
  const shares = checkpoints.filter(({ trials }) => trials > 0).map(({ share }) => share);
  if (shares.length === 0 || shares.some((share) => share < nearlyAlways)) return null;
  return { min: Math.min(...shares), max: Math.max(...shares) };
}

/** In how many trials a checkpoint was under way at each step, and of how many that is known, over all variants. */
export function summedCheckpoints(checkpoints: readonly CheckpointsOver[]): { counts: number[]; trials: number } {
  const [first] = checkpoints;
  return {
    counts: (first?.inProgress ?? []).map((_, at) =>
      checkpoints.reduce((sum, { inProgress }) => sum + (inProgress[at] ?? 0), 0),
    ),
    trials: checkpoints.reduce((sum, { trials }) => sum + trials, 0),
  };
}
