import type { MeasureStep } from '../../contract/plan.ts';
import type { RunRecord } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import { ChangedFileError, type DamagedFileError } from '../../contract/versioned-file.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import type { StoredRun, UnreadableTrial } from '../../storage/run-store.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { asLoaded } from '../loaded-settings.ts';
import { checkSavedTrial } from './check-saved-trial.ts';

/**
 * The trials of a run that was read from its files. Those of which something was found later are judged with that: the
 * checks in their files were made before it. Those whose files are damaged count as lost by their side: otherwise, who damages
 * a file would choose what is compared.
 */
export async function judgeAgain(stored: StoredRun, series: SeriesSource): Promise<Trial[]> {
  const { trials, foundLater, unreadable } = stored;
  const run = { ...stored.run, variants: asLoaded(stored.run.variants, stored.steps) };
  const judged = trials.map(async (trial) =>
    foundLater.has(trial.id) ? { ...trial, checks: checkSavedTrial(run, trial, await series.read(trial)) } : trial,
  );
  return [...(unreadable.length > 0 ? lostTrials(run, unreadable) : []), ...(await Promise.all(judged))];
}

function lostTrials(run: RunRecord, unreadable: readonly UnreadableTrial[]): Trial[] {
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
        // Nobody knows when it was.
        startedAt: run.startedAt,
        endedAt: run.startedAt,
        state: 'failed',
        failure: { stage: 'collect', error: whatBecameOf(error) },
        measures: {},
        series: [],
        facts: {},
        checks: [],
        warnings: [],
      },
    ];
  });
}

function whatBecameOf(error: DamagedFileError): string {
  return error instanceof ChangedFileError ? error.message : `${error.source} is damaged`;
}

/** The id of a trial wherever in its block it was measured: an earlier pgduet may have drawn another order from the same seed. */
export function withoutPosition(id: string): string {
  return id.replace(/^(block-\d+)-\d+-/, '$1-');
}
