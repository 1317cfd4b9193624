import type { MeasureStep, Plan } from '../experiment/plan/plan.ts';
import type { LogVolumeSwitch } from '../contract/log-volume-switch.ts';
import { UserError } from '../contract/errors.ts';
import { type Check, failures } from '../contract/check.ts';
import type { FinishedTrial, Trial } from '../contract/result.ts';
import type { Execution } from './execution.ts';
import { carryOutMeasureStep } from './trial.ts';

export interface Outcome {
  /** Finished, failed and interrupted ones, in the order of the plan; those of earlier runs that were resumed too. */
  trials: Trial[];
  /** False where trials of the plan are missing. */
  complete: boolean;
  /** Where the blocks so far were precise enough; null where the plan was carried out to its end, or was interrupted. */
  stoppedAfterBlock: number | null;
  /** Log volumes that changed places since this run began. */
  switches: LogVolumeSwitch[];
}

export interface Judgement {
  check: (trial: FinishedTrial) => Check[];
  /** Asked after each block. */
  isPreciseEnough: (trials: readonly Trial[]) => boolean;
  onProgress: (soFar: Outcome) => Promise<void>;
}

/**
 * Measures every trial of the plan that `earlier` does not hold finished; each is checked and saved as it ends, and then
 * `onProgress` gets all there is. A block in which a trial failed, or failed a check, is repeated as long as the protocol
 * allows; both attempts are kept. Stops early, with what it has, when precise enough, interrupted or a server is gone.
 */
export async function carryOutTrials(
  execution: Execution,
  earlier: readonly Trial[],
  { check, isPreciseEnough, onProgress }: Judgement,
  measure: typeof carryOutMeasureStep = carryOutMeasureStep,
): Promise<Outcome> {
  const { plan, place, store, report, signal } = execution;
  const finished = new Map(earlier.flatMap((trial) => (trial.state === 'finished' ? [[trial.id, trial]] : [])));
  const trials: Trial[] = [];
  const switches: LogVolumeSwitch[] = [];
  const outcome = (stoppedAfterBlock: number | null = null): Outcome => ({
    trials,
    complete: isComplete(plan, trials, stoppedAfterBlock),
    stoppedAfterBlock,
    switches,
  });
  const isOver = (): boolean => signal.aborted || [...place.targets.values()].some(({ failed }) => failed.aborted);

  async function carryOutStep(step: MeasureStep): Promise<Trial[]> {
    const done = step.trials.flatMap(({ id }) => finished.get(id) ?? []);
    if (done.length === step.trials.length) {
      for (const trial of step.trials) report({ kind: 'trial-skipped', trial });
      return done.map((trial) => ({ ...trial, checks: check(trial) }));
    }
    await enterPeriod(step);
    const measured = await measure(execution, step);
    const checked = measured.map((trial) => (trial.state === 'finished' ? { ...trial, checks: check(trial) } : trial));
    for (const trial of checked) {
      await store.saveTrial(trial);
      report({ kind: 'trial-ended', trial });
    }
    return checked;
  }

  let entered: MeasureStep['period'];
  /** Log volumes change places only for what is yet to be measured. */
  async function enterPeriod({ period, trials: planned }: MeasureStep): Promise<void> {
    if (period === undefined || period === entered || planned.every(({ id }) => finished.has(id))) return;
    if (!place.enterPeriod) throw new UserError('protocol.crossover: only deployed variants can be crossed over.');
    switches.push(...(await place.enterPeriod(period, signal)));
    entered = period;
  }

  let repeatsLeft = execution.experiment.protocol.repeats;
  for (const steps of blocksOf(plan)) {
    for (let attempt = 1; ; attempt++) {
      const own: Trial[] = [];
      for (const step of steps) {
        const measured = await carryOutStep(attempt === 1 ? step : repeated(step, attempt));
        own.push(...measured);
        trials.push(...measured);
        await onProgress(outcome());
        if (isOver()) return outcome();
      }
      if (own.every(isSound) || repeatsLeft === 0) break;
      repeatsLeft--;
      report({ kind: 'block-repeated', block: steps[0]?.block ?? 0, because: own.filter((trial) => !isSound(trial)) });
    }
    if (isPreciseEnough(trials)) return outcome(steps[0]?.block);
  }
  return outcome();
}

/** The steps of the plan that measure, block by block. */
function blocksOf(plan: Plan): MeasureStep[][] {
  const blocks = new Map<number, MeasureStep[]>();
  for (const step of plan.steps) {
    if (step.kind === 'measure') blocks.set(step.block, [...(blocks.get(step.block) ?? []), step]);
  }
  return [...blocks.values()];
}

function repeated(step: MeasureStep, attempt: number): MeasureStep {
  const trials = step.trials.map((trial) => ({ ...trial, id: `${trial.id}-repeat-${attempt}`, attempt }));
  return { ...step, trials };
}

function isSound(trial: Trial): boolean {
  return trial.state === 'finished' && failures(trial.checks).length === 0;
}

/** Every trial that was wanted was finished, be it in a repeat of its block. */
function isComplete(plan: Plan, trials: readonly Trial[], stoppedAfterBlock: number | null): boolean {
  const key = (block: number, variant: string): string => `${block} ${variant}`;
  const finished = new Set(
    trials.flatMap(({ state, block, variant }) => (state === 'finished' ? [key(block, variant)] : [])),
  );
  return blocksOf(plan)
    .flat()
    .filter(({ block }) => block <= (stoppedAfterBlock ?? Infinity))
    .every((step) => step.trials.every(({ variant }) => finished.has(key(step.block, variant))));
}
