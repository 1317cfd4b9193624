import type { Plan } from '../contract/plan.ts';
import { plannedTrials } from '../contract/plan.ts';
import type { CarriedOutStep, Result, RunRecord } from '../contract/result.ts';
import { levelKey, levelOf, type Conditions, type Trial } from '../contract/trial.ts';
import { controlsOf } from '../experiment/controls.ts';
import { comparedLevels } from '../experiment/plan/levels.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import { withDerived } from '../metrics/value.ts';
import type { SeriesSource } from '../storage/series.ts';
import { toolOf } from '../workloads/registry.ts';
import { claimsOf } from './claims.ts';
import { compareTrials } from './compare.ts';
import { leaveOutStarts } from './leave-out-starts.ts';
import { looksOf } from './stopping.ts';
import { judgeValidity } from './validity/judge-validity.ts';

/** How a run ended. The files of the run do not tell this. */
export interface RunEnd {
  /** ISO 8601; null if nothing said that the run ended. */
  endedAt: string | null;
  /** With `until: precision`: the block after which the blocks so far were precise enough. */
  stoppedAfterBlock?: number | undefined;
  /** The limit of the experiment that ended the run, in words. */
  stoppedBy?: string | undefined;
}

/** Makes the result of all that was measured. It is pure, except that it reads the series. */
export async function assembleResult(
  { run, steps, trials: measured }: { run: RunRecord; steps: readonly CarriedOutStep[]; trials: readonly Trial[] },
  end: RunEnd,
  series: SeriesSource,
): Promise<Result> {
  const { definition } = run.experiment;
  const plan = makePlan(definition, run.experiment.profile);
  const complete = await Promise.all(
    measured.map(async (trial) =>
      // Adds also the metrics that only a later version of pgduet derives.
      trial.state === 'finished'
        ? { ...trial, measures: withDerived(trial.measures, await series.read(trial)) }
        : trial,
    ),
  );
  const trials = await leaveOutStarts(complete, definition, (trial) => series.read(trial));
  const compared = compareTrials({
    trials,
    baseline: run.experiment.baseline,
    decision: definition.decision,
    variants: plan.variants,
    levels: comparedLevels(definition),
    contrasts: definition.contrasts,
    controls: controlsOf(definition),
    claims: claimsOf({ ...run, trials, ...end }),
    looks: looksOf(definition),
    limit: toolOf(definition.workload).shape(definition.workload).limit,
  });
  const result: Result = {
    kind: 'pgduet-result',
    schemaVersion: 2,
    ...run,
    endedAt: end.endedAt,
    complete: isComplete(plan, trials, end.stoppedAfterBlock ?? Infinity),
    ...(end.stoppedAfterBlock === undefined ? {} : { stoppedAfterBlock: end.stoppedAfterBlock }),
    ...(end.stoppedBy === undefined ? {} : { stoppedBy: end.stoppedBy }),
    steps: [...steps],
    trials,
    comparisons: [],
    warnings: [
      ...(end.stoppedBy === undefined ? [] : [end.stoppedBy]),
      ...run.warnings,
      ...resumeWarnings(run, steps, trials),
      ...compared.warnings,
    ],
  };
  return { ...result, comparisons: judgeValidity(compared.comparisons, result) };
}

/** Whether every planned trial was finished, in its block or in a repeat of the block. */
function isComplete(plan: Plan, trials: readonly Trial[], lastBlock: number): boolean {
  const key = (block: number, conditions: Conditions): string =>
    `${block} ${conditions.variant} ${levelKey(levelOf(conditions))}`;
  const finished = new Set(
    trials.flatMap(({ state, block, conditions }) => (state === 'finished' ? [key(block, conditions)] : [])),
  );
  return plannedTrials(plan)
    .filter(({ block }) => block <= lastBlock)
    .every(({ block, conditions }) => finished.has(key(block, conditions)));
}

/**
 * Warnings for a resumed run. Deployed instances are the same after a resume; local servers are made anew at each start of a
 * run.
 */
function resumeWarnings({ place }: RunRecord, steps: readonly CarriedOutStep[], trials: readonly Trial[]): string[] {
  if (place.kind !== 'local') return [];
  return steps
    .filter(({ step }) => step === 'create')
    .slice(1)
    .map(({ startedAt }) => {
      const before = trials.filter(({ state, endedAt }) => state === 'finished' && endedAt <= startedAt).length;
      return `The run was resumed after ${before} trials: the servers were made anew in between, so trials before and after it speak of different clusters.`;
    });
}
