import type { Trial } from '../../contract/trial.ts';
import type { StoredRun } from '../../storage/run-store.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { checkSavedTrial } from './check-saved-trial.ts';

/**
 * The trials of a run that was read from its files. Those of which something was found later are judged with that: the
 * checks in their files were made before it.
 */
export function judgeAgain({ run, trials, foundLater }: StoredRun, series: SeriesSource): Promise<Trial[]> {
  return Promise.all(
    trials.map(async (trial) =>
      foundLater.has(trial.id) ? { ...trial, checks: checkSavedTrial(run, trial, await series.read(trial)) } : trial,
    ),
  );
}
