import type { Plan } from '../contract/plan.ts';
import { plannedTrials } from '../contract/plan.ts';
import type { CarriedOutStep, Result, RunRecord } from '../contract/result.ts';
import { levelKey, levelOf, type Conditions, type Trial } from '../contract/trial.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import { withDerived } from '../metrics/value.ts';
import type { SeriesSource } from '../storage/series.ts';
import { toolOf } from '../workloads/registry.ts';
import { compareTrials } from './compare.ts';
import { leaveOutStarts } from './leave-out-starts.ts';
import { looksOf } from './stopping.ts';
import { judgeValidity } from './validity/judge-validity.ts';

/** How a run ended, as far as its files do not tell it themselves. */
export interface RunEnd {
  /** null where nothing said that it ended. */
  endedAt: string | null;
  /** With `until: precision`, where the blocks so far were precise enough. */
  stoppedAfterBlock?: number | undefined;
  /** Which limit of the experiment ended it, in words. */
  stoppedBy?: string | undefined;
}

/** The result of all that was measured: pure but for the series that it reads. */
export async function assembleResult(
  { run, steps, trials: measured }: { run: RunRecord; steps: readonly CarriedOutStep[]; trials: readonly Trial[] },
  end: RunEnd,
  series: SeriesSource,
): Promise<Result> {
  const { definition } = run.experiment;
  const plan = makePlan(definition, run.experiment.profile);
  const complete = await Promise.all(
    measured.map(async (trial) =>
      // What a later version derives, too.
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
    levels: plan.levels,
    contrasts: definition.contrasts,
    looks: looksOf(definition),
    crossover: definition.protocol.crossover,
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

/** Whether every trial that was wanted was finished, be it in a repeat of its block. */
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

/** Deployed instances are still the same ones; local servers live no longer than one start of a run. */
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
