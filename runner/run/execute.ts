import { checkTrial } from '../analysis/validity/trial-checks.ts';
import { isPreciseEnough } from '../analysis/stopping.ts';
import type { Result } from '../contract/result.ts';
import { assembleResult, describeVariants } from './assemble-result.ts';
import { carryOutLoad } from './carry-out-load.ts';
import { carryOutTrials, type Outcome } from './carry-out-trials.ts';
import type { Execution } from './execution.ts';

/**
 * Loads, measures, or both. The result is saved after every trial, so that whatever ends us leaves one that can be read.
 * An interrupted run gives its result too; the caller looks at the signal. null where nothing was to be measured.
 *
 * @throws where loading fails or is interrupted: there is nothing to keep then.
 */
export async function execute(
  execution: Execution,
  stages: { load: boolean; run: boolean },
  earlier: Pick<Result, 'startedAt' | 'trials' | 'switches'>,
): Promise<Result | null> {
  const { store, now, experiment, place } = execution;
  const { startedAt } = earlier;
  if (stages.load) await carryOutLoad(execution);
  if (!stages.run) return null;

  const variants = await describeVariants(execution);
  const assemble = (outcome: Outcome, endedAt: string | null): Result =>
    assembleResult(execution, outcome, {
      startedAt,
      endedAt,
      variants,
      earlier: earlier.trials,
      switches: earlier.switches ?? [],
    });
  // From the start there is something to resume, and to tell what was measured by.
  await store.saveResult(
    assemble({ trials: [...earlier.trials], complete: false, stoppedAfterBlock: null, switches: [] }, null),
  );
  const settings = new Map(variants.map((variant) => [variant.name, variant.settings]));
  const outcome = await carryOutTrials(execution, earlier.trials, {
    check: (trial) => checkTrial(trial, { experiment, place: place.kind, settings: settings.get(trial.variant) ?? {} }),
    isPreciseEnough: (trials) => isPreciseEnough(trials, experiment),
    onProgress: (soFar) => store.saveResult(assemble(soFar, null)),
  });
  const result = assemble(outcome, now().toISOString());
  await store.saveResult(result);
  return result;
}
