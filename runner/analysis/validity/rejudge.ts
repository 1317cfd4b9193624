import type { MeasureStep } from '../../contract/plan.ts';
import type { Result } from '../../contract/result.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import { levelOf, type Trial } from '../../contract/trial.ts';
import { ChangedFileError, type DamagedFileError } from '../../contract/versioned-file.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import type { StoredRun, UnreadableTrial } from '../../storage/run-store.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { asLoaded } from '../loaded-settings.ts';
import type { Check } from '../../contract/check.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import { serverName } from '../../contract/server.ts';
import { placeNamed } from '../../places/registry.ts';
import { type FullTool, toolOf } from '../../workloads/registry.ts';
import type { WorkloadDurations } from '../../workloads/tool.ts';
import { invariants } from './registry.ts';
import { checkTrial, ledger } from './judge-validity.ts';
import type { TrialContext } from './check.ts';

/**
 * The trials of a run that was read from its files. If something was found about a trial later, the trial is judged
 * again, since the checks in its file were made before. If the files of a trial are damaged, it counts as lost by its
 * side: otherwise, whoever damages a file could choose what is compared.
 */
export async function rejudge(stored: StoredRun, series: SeriesSource): Promise<Trial[]> {
  const { trials, foundLater, unreadable } = stored;
  const run = { ...stored.run, variants: asLoaded(stored.run.variants, stored.steps) };
  const judged = trials.map(async (trial) =>
    foundLater.has(trial.id) ? { ...trial, checks: checkSavedTrial(run, trial, await series.read(trial)) } : trial,
  );
  return [...(unreadable.length > 0 ? lostTrials(run, unreadable) : []), ...(await Promise.all(judged))];
}

/** What is known of trials by their ids alone, as lost by their sides. */
export function lostTrials(run: RunRecord, unreadable: readonly UnreadableTrial[]): Trial[] {
  const steps = makePlan(run.experiment.definition, run.experiment.profile).steps.filter(
    (step): step is MeasureStep => step.kind === 'measure',
  );
  const planned = new Map(
    steps.flatMap((step) => step.trials.map((trial) => [withoutPosition(trial.id), { step, trial }] as const)),
  );
  return unreadable.flatMap(({ id, error }): Trial[] => {
    const [, own = id, repeat = '1'] = /^(.*)-repeat-(\d+)$/.exec(id) ?? [];
    const found = planned.get(withoutPosition(own));
    // A folder that the plan does not know holds no trial of this run.
    if (!found) return [];
    const { block, position, period } = found.step;
    return [
      {
        id,
        conditions: found.trial.conditions,
        block,
        position,
        attempt: Number(repeat),
        ...(period && { period }),
        // When it was measured is unknown.
        startedAt: run.startedAt,
        endedAt: run.startedAt,
        state: 'failed',
        failure: { stage: 'collect', code: 'damaged', error: describeDamage(error) },
        measures: {},
        series: [],
        facts: {},
        checks: [],
        warnings: [],
      },
    ];
  });
}

function describeDamage(error: DamagedFileError): string {
  return error instanceof ChangedFileError ? error.message : `${error.source} is damaged`;
}

/** The id of a trial wherever in its block it was measured: an earlier pgduet may have drawn another order from the same seed. */
export function withoutPosition(id: string): string {
  return id.replace(/^(block-\d+)-\d+-/, '$1-');
}

/** The parts of a result that the checks of a trial need besides the trial. */
export type CheckedRun = Pick<Result, 'variants'> & {
  experiment: Pick<Result['experiment'], 'definition'>;
  place: Pick<Result['place'], 'kind'>;
};

/**
 * The validity ledger of a finished trial, made only from what a result keeps. So it is the same for a trial that has
 * just ended and for one that was read from a file.
 */
export function checkSavedTrial(
  run: CheckedRun,
  trial: Trial,
  series: TrialSeries,
  tool: CheckedTool = toolOf(run.experiment.definition.workload),
): Check[] {
  return checkTrial(trial, contextOf(run, trial, series, tool));
}

/** Checks again, for a saved trial, what must hold of every trial. */
export function checkedAgain(run: CheckedRun, trial: Trial, series: TrialSeries): Check[] {
  const context = contextOf(run, trial, series, toolOf(run.experiment.definition.workload));
  return ledger(invariants, (check) => check.judge(trial, context));
}

type CheckedTool = Pick<FullTool, 'resolveLevel' | 'shape' | 'durations'>;

function contextOf(
  { experiment: { definition }, place, variants }: CheckedRun,
  trial: Trial,
  series: TrialSeries,
  tool: CheckedTool,
): TrialContext {
  const server = serverName(trial.conditions);
  const of = variants.find(({ name, replica }) => serverName({ variant: name, replica }) === server);
  const workload = tool.resolveLevel(definition.workload, levelOf(trial.conditions));
  return {
    experiment: definition,
    place: placeNamed(place.kind),
    settings: of?.settings ?? {},
    shape: tool.shape(workload),
    loadedBytes: predictedBytes(tool.durations(workload)),
    series,
  };
}

function predictedBytes({ bytes, isExact = true }: WorkloadDurations): number | null {
  return isExact ? bytes : null;
}
