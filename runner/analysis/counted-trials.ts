import { type Comparison, type PairOfIds, trialsOfPair, type UnknownBlock } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../contract/trial.ts';
import { failedChecks } from '../contract/check.ts';
import { isMeasuredAgain, type ExternalReason } from '../contract/external-reasons.ts';
import { type Plan, plannedTrials } from '../contract/plan.ts';

/**
 * Ids of the trials that the comparisons used: those of the declared metric, or of any metric if none was declared.
 * Tables, charts and checks show these. Other trials are named, but do not count.
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
    counted: used.map((ids) => blockPair(find(ids.baseline), find(ids.candidate))),
    unknown: unknownBlocks.map((one) => ({ ...one, period: byId.get(one.trials[0] ?? '')?.period ?? 1 })),
  };
}

/**
 * For comparisons from a file that does not say which trials they used: adds the trials that follow from their pairs.
 */
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

/** How many trials of a variant ended by themselves, and how many of them it lost. */
export interface Losses {
  lost: number;
  of: number;
}

/** Whether the trial measured what it should: it finished, and no check of it failed. */
export function isValidTrial({ state, checks }: Pick<Trial, 'state' | 'checks'>): boolean {
  return state === 'finished' && failedChecks(checks).length === 0;
}

/**
 * Whether the trial is a loss of its side: it failed, or failed a check, and nothing outside the servers explains it.
 * Every reason that is not on the list of outside reasons counts as the server's, so nobody has to prove a crash or a
 * stall. A loss is never measured again.
 */
export function isLost({ state, failure, checks }: Pick<Trial, 'state' | 'failure' | 'checks'>): boolean {
  if (state === 'failed') return failure?.outside === undefined;
  return state === 'finished' && failedChecks(checks).some(({ outside }) => outside === undefined);
}

/** What spoilt the trial from outside the servers: it made the trial fail, or a check of it. */
export function externalReasonsOf({ failure, checks }: Pick<Trial, 'failure' | 'checks'>): ExternalReason[] {
  return [failure, ...failedChecks(checks)].flatMap((one) => one?.outside ?? []);
}

/** Whether the trial may be measured again: it is not sound, and neither server can cause any of the reasons. */
export function isRepeatable(trial: Pick<Trial, 'state' | 'failure' | 'checks'>): boolean {
  return (
    trial.state !== 'interrupted' &&
    !isValidTrial(trial) &&
    !isLost(trial) &&
    externalReasonsOf(trial).every(isMeasuredAgain)
  );
}

/** Losses of a variant over all of its attempts and servers, at one level, or at all levels if none is named. */
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

type TrialPosition = Pick<Trial, 'block' | 'conditions'>;

/** The trials of a plan that are missing here, both in their block and in repeats of the block. */
export function missingTrials(plan: Plan, trials: readonly TrialPosition[]): TrialPosition[] {
  const there = new Set(trials.map(key));
  return plannedTrials(plan).filter((planned) => !there.has(key(planned)));
}

function key({ block, conditions }: TrialPosition): string {
  return `${block} ${conditions.variant} ${levelKey(levelOf(conditions))}`;
}

/** Both sides of one block, from the same attempt. */
export interface BlockPair {
  block: number;
  attempt: number;
  /** The pair of servers, if each variant has several. */
  replica: number | undefined;
  /** Of a crossover; otherwise 1. */
  period: number;
  baseline: Trial;
  candidate: Trial;
}

export function blockPair(baseline: Trial, candidate: Trial): BlockPair {
  const { block, attempt, period = 1 } = baseline;
  return { block, attempt, replica: replicaOf(baseline), period, baseline, candidate };
}

/** The number of its server, if its variant has several. */
export function replicaOf({ conditions: { replica } }: Pick<Trial, 'conditions'>): number | undefined {
  return typeof replica === 'number' ? replica : undefined;
}

/** A block whose outcome exists, but is unknown: the interval assumes the worst case for it. */
export type UnknownPair = UnknownBlock & Pick<BlockPair, 'period'>;
