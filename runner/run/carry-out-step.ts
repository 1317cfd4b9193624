import type { MeasureStep, Step } from '../contract/plan.ts';
import type { CarriedOutStep } from '../contract/result.ts';
import type { Run, ActiveRun } from './run-shape.ts';
import { failureOf, wordsOf } from '../contract/errors.ts';

/** What is kept of a step besides its times. The step's work adds to it as it proceeds. */
export type StepFindings = Omit<CarriedOutStep, 'step' | 'startedAt' | 'endedAt' | 'error' | 'failure'>;

type OtherStep = Exclude<Step, MeasureStep>;

/**
 * Carries out a step that is not a measurement, and reports it.
 *
 * @returns what to keep of the step
 */
export async function carryOut(
  { report, now }: Run,
  step: OtherStep,
  work: (found: StepFindings) => Promise<void>,
): Promise<CarriedOutStep> {
  report({ kind: 'step-started', step });
  const startedAt = now().toISOString();
  const found: StepFindings = {};
  await work(found);
  return { step: step.kind, startedAt, endedAt: now().toISOString(), ...found };
}

/** Does the same and keeps the step in the run, even if the step fails after it has found something. */
export async function carryOutAndSave(
  running: ActiveRun,
  step: OtherStep,
  work: (found: StepFindings) => Promise<void>,
): Promise<void> {
  const startedAt = running.now().toISOString();
  let begun: StepFindings = {};
  try {
    const done = await carryOut(running, step, (found) => {
      begun = found;
      return work(found);
    });
    await keepStep(running, done);
  } catch (error) {
    if (Object.keys(begun).length > 0) {
      const endedAt = running.now().toISOString();
      const why = { error: wordsOf(error), failure: failureOf(error) };
      await keepStep(running, { step: step.kind, startedAt, endedAt, ...begun, ...why });
    }
    throw error;
  }
}

export async function keepStep({ store, steps }: ActiveRun, done: CarriedOutStep): Promise<void> {
  await store.saveStep(done);
  steps.push(done);
}
