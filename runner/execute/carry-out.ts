import type { MeasureStep, Plan, Step } from '../experiment/plan.ts';
import type { Check } from '../results/check.ts';
import type { FinishedTrial, Trial } from '../results/result.ts';
import type { Execution } from './execution.ts';
import { keepLoadedCopy } from './loaded-copy.ts';
import { carryOutMeasureStep } from './measure-step.ts';

export interface Outcome {
  /** Finished, failed and interrupted ones, in the order of the plan; those of earlier runs that were resumed too. */
  trials: Trial[];
  /** False where trials of the plan are missing. */
  complete: boolean;
}

/** Fills the database of every variant, one after another, and lets them settle. */
export async function carryOutLoad(execution: Execution): Promise<void> {
  const { plan, place, generator, store, report, signal, now } = execution;
  await place.putUnderTest([], signal);
  for (const step of plan.steps) {
    if (step.kind !== 'load' && step.kind !== 'settle') continue;
    report({ kind: 'step-started', step });
    if (step.kind === 'settle') {
      await execution.pause(step.expectedSeconds, signal);
      continue;
    }
    for (const variant of step.variants) {
      const target = place.targets.get(variant);
      if (!target) throw new Error(`no target for variant ${variant}`);
      const start = now().getTime();
      await generator.load(target, {
        folder: store.folder,
        signal: AbortSignal.any([signal, target.failed]),
        onProgress: (done) => report({ kind: 'loading', variant, done }),
      });
      if (step.keepCopy) await keepLoadedCopy(target, signal);
      report({ kind: 'loaded', variant, seconds: (now().getTime() - start) / 1000 });
    }
  }
}

/**
 * Measures every trial of the plan that `earlier` does not hold finished; each is checked and saved as it ends, and then
 * `onProgress` gets all there is. Stops early, with what it has, when interrupted or when a server is gone.
 */
export async function carryOutTrials(
  execution: Execution,
  earlier: readonly Trial[],
  { check, onProgress }: { check: (trial: FinishedTrial) => Check[]; onProgress: (soFar: Outcome) => Promise<void> },
): Promise<Outcome> {
  const { plan, place, store, report, signal } = execution;
  const finished = new Map(earlier.filter(({ state }) => state === 'finished').map((trial) => [trial.id, trial]));
  const trials: Trial[] = [];
  for (const step of plan.steps.filter(isMeasureStep)) {
    const done = step.trials.map(({ id }) => finished.get(id)).filter((trial) => trial !== undefined);
    if (done.length === step.trials.length) {
      trials.push(...done);
      for (const trial of step.trials) report({ kind: 'trial-skipped', trial });
      continue;
    }
    const measured = await carryOutMeasureStep(execution, step);
    for (const bare of measured) {
      const trial = bare.state === 'finished' ? { ...bare, checks: check(bare) } : bare;
      trials.push(trial);
      await store.saveTrial(trial);
      report({ kind: 'trial-ended', trial });
    }
    await onProgress({ trials, complete: isComplete(plan, trials) });
    if (signal.aborted || [...place.targets.values()].some(({ failed }) => failed.aborted)) break;
  }
  return { trials, complete: isComplete(plan, trials) };
}

function isMeasureStep(step: Step): step is MeasureStep {
  return step.kind === 'measure';
}

function isComplete(plan: Plan, trials: readonly Trial[]): boolean {
  const finished = new Set(trials.filter(({ state }) => state === 'finished').map(({ id }) => id));
  return plan.steps.filter(isMeasureStep).every((step) => step.trials.every(({ id }) => finished.has(id)));
}
