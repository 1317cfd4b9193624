import { assembleResult } from '../analysis/assemble.ts';
import { isPreciseEnough } from '../analysis/stopping.ts';
import { leaveOutStarts } from '../analysis/leave-out-starts.ts';
import { failures } from '../contract/check.ts';
import { UserError } from '../contract/errors.ts';
import type { MeasureStep, Step } from '../contract/plan.ts';
import type { CarriedOutStep, Result, ResultVariant, RunRecord } from '../contract/result.ts';
import { serverName } from '../contract/server.ts';
import type { Trial } from '../contract/trial.ts';
import { repeatedStep } from '../experiment/plan/plan.ts';
import type { StoredRun } from '../storage/run-store.ts';
import { mergeFindings } from '../storage/merge-findings.ts';
import { describeVariants, runRecord } from './describe-run.ts';
import type { Execution, Running } from './execution.ts';
import { keepStep } from './carry-out-step.ts';
import { demandLoaded, load } from './load.ts';
import { create, crossOver, settle } from './step.ts';
import { snapshot } from './snapshot.ts';
import { LimitReached } from './time-limit.ts';
import { touch } from './touch.ts';
import { type DescribedVariants, judgeTrial, measureTrials } from './trial.ts';

export interface RunOptions {
  stages: { load: boolean; run: boolean };
  /** What an earlier start of the same run left; null for a new one. */
  earlier: StoredRun | null;
  /**
   * Whether the databases are those of the earlier start. Then what was loaded completely is not loaded again. On this
   * machine, every start makes new ones.
   */
  goOn: boolean;
  /** Whether to leave the place after the run. */
  keep: (outcome: { succeeded: boolean }) => boolean;
  /** Receives a text that says how to reach a place that was kept. */
  onKept: (message: string) => void;
}

/**
 * Carries out a plan: loads, measures, or both. Each trial is saved when it has ended. So a run that is cut off can still
 * be read, and resumed. An interrupted run returns its result, too: the caller looks at the signal.
 *
 * @returns null if nothing was to be measured
 * @throws if creating or loading fails or is interrupted: then there is nothing to keep
 */
export async function carryOutRun(execution: Execution, options: RunOptions): Promise<Result | null> {
  const { stages, earlier } = options;
  const finished = new Set(earlier?.trials.flatMap(({ state, id }) => (state === 'finished' ? [id] : [])));
  const firstLeft = execution.plan.steps.find(
    (step): step is MeasureStep => step.kind === 'measure' && step.trials.some(({ id }) => !finished.has(id)),
  );
  const { place, done } = await create(execution, stages.run ? firstLeft?.period : undefined);
  let succeeded = false;
  try {
    for (const text of place.caveats) execution.report({ kind: 'warning', text });
    const running: Running = { ...execution, place, store: execution.openStore(), steps: [...(earlier?.steps ?? [])] };
    await keepStep(running, done);
    const result = await carryOutStages(running, options);
    succeeded = true;
    return result;
  } finally {
    const kept = await place.close({ keep: options.keep({ succeeded }) });
    if (kept !== null) options.onKept(kept);
  }
}

/** The run is saved before loading, so that a start that is cut off while it loads can be resumed, too. */
async function carryOutStages(running: Running, { stages, earlier, goOn }: RunOptions): Promise<Result | null> {
  if (!stages.run) {
    await carryOutLoad(running, goOn, []);
    return null;
  }
  const described = await describeVariants(running);
  const run = earlier?.run ?? runRecord(running, described);
  if (!earlier) await running.store.saveRun(run);
  if (stages.load) await carryOutLoad(running, goOn, earlier?.steps ?? []);
  else await demandLoaded(running);
  return measure(running, { run, described, earlier });
}

/**
 * Carries out the steps before the first trial.
 *
 * @param before what earlier starts of the run have carried out
 */
async function carryOutLoad(running: Running, goOn: boolean, before: readonly CarriedOutStep[]): Promise<void> {
  const finished = new Set(before.flatMap(({ step, error }) => (goOn && error === undefined ? [step] : [])));
  for (const step of running.plan.steps) {
    if (step.kind === 'measure') return;
    if (finished.has(step.kind)) {
      // It may be another database by now, under the same name.
      if (step.kind === 'load' || step.kind === 'touch') await demandLoaded(running);
      continue;
    }
    if (step.kind === 'load') await load(running, step, { goOn });
    if (step.kind === 'touch') await touch(running, step);
    if (step.kind === 'settle') await settle(running, step);
    if (step.kind === 'snapshot') await snapshot(running, step);
  }
}

/** The parts of a plan after loading: blocks, and the steps between them. */
type Part = { kind: 'block'; steps: MeasureStep[] } | { kind: 'between'; step: Exclude<Step, MeasureStep> };

function partsOf({ steps }: { steps: readonly Step[] }): Part[] {
  const parts: Part[] = [];
  for (const step of steps.slice(steps.findIndex(({ kind }) => kind === 'measure'))) {
    const last = parts.at(-1);
    if (step.kind !== 'measure') parts.push({ kind: 'between', step });
    else if (last?.kind === 'block' && last.steps[0]?.block === step.block) last.steps.push(step);
    else parts.push({ kind: 'block', steps: [step] });
  }
  return parts;
}

/**
 * Measures every trial of the plan that is not finished yet. A block with a failed trial or a failed check is measured
 * again, as long as the protocol allows; all attempts are kept. It stops early if the result is precise enough, if it is
 * interrupted, or if a server is gone. The trials so far then make the result.
 */
async function measure(
  running: Running,
  { run, described, earlier }: { run: RunRecord; described: ResultVariant[]; earlier: StoredRun | null },
): Promise<Result> {
  const { plan, experiment, place, store, report, signal } = running;
  const variants: DescribedVariants = new Map(
    described.map((record) => [serverName({ variant: record.name, replica: record.replica }), record]),
  );
  const trials = new Map(earlier?.trials.map((trial) => [trial.id, trial]));
  const isOver = (): boolean => signal.aborted || [...place.targets.values()].some(({ failed }) => failed.aborted);
  const isDone = ({ trials: planned }: MeasureStep): boolean =>
    planned.every(({ id }) => trials.get(id)?.state === 'finished');

  async function carryOutMeasure(step: MeasureStep): Promise<Trial[]> {
    if (isDone(step)) {
      for (const trial of step.trials) report({ kind: 'trial-skipped', trial });
      return step.trials.flatMap(({ id }) => trials.get(id) ?? []);
    }
    const ended: Trial[] = [];
    for (const { trial, series } of await measureTrials(running, variants, step)) {
      const saved = await store.saveTrial(trial, series);
      trials.set(saved.id, saved);
      report({ kind: 'trial-ended', trial: saved });
      ended.push(saved);
    }
    await running.betweenTrials?.();
    return ended;
  }

  let repeatsLeft = experiment.protocol.repeats;
  let stoppedAfterBlock: number | undefined;
  let betweenIsDue = false;
  for (const part of partsOf(plan)) {
    if (part.kind === 'between') {
      // Steps between blocks serve the blocks after them. A cross-over also decides whether the steps right after it are
      // carried out.
      if (part.step.kind === 'cross-over') betweenIsDue = !restOf(plan, part.step).every(isDone);
      if (betweenIsDue) await carryOutBetween(running, part.step);
      continue;
    }
    if (isOver()) break;
    for (let attempt = 1; ; attempt++) {
      const own: Trial[] = [];
      for (const step of part.steps) {
        own.push(...(await carryOutMeasure(attempt === 1 ? step : repeatedStep(step, attempt))));
        if (isOver()) break;
      }
      if (isOver() || own.every(isSound) || repeatsLeft === 0) break;
      repeatsLeft--;
      const block = part.steps[0]?.block ?? 0;
      report({ kind: 'block-repeated', block, because: own.filter((trial) => !isSound(trial)) });
    }
    if (isOver()) break;
    if (await isEnough(running, [...trials.values()])) {
      stoppedAfterBlock = part.steps[0]?.block;
      break;
    }
  }
  const all = await askLater(running, variants, [...trials.values()]);
  return conclude(running, run, all, stoppedAfterBlock);
}

async function carryOutBetween(running: Running, step: Exclude<Step, MeasureStep>): Promise<void> {
  if (step.kind === 'cross-over') await crossOver(running, step);
  if (step.kind === 'settle') await settle(running, step);
}

/** The measurements of the plan that come after a step. */
function restOf({ steps }: { steps: readonly Step[] }, step: Step): MeasureStep[] {
  return steps.slice(steps.indexOf(step)).filter((one) => one.kind === 'measure');
}

function isSound({ state, checks }: Trial): boolean {
  return state === 'finished' && failures(checks).length === 0;
}

async function isEnough({ experiment, store }: Running, trials: readonly Trial[]): Promise<boolean> {
  if (experiment.protocol.until !== 'precision') return false;
  const counted = await leaveOutStarts(trials, experiment, (trial) => store.series.read(trial));
  return isPreciseEnough(counted, experiment);
}

/**
 * Asks sources that answer only later about every finished trial. The answers are kept beside the trial, and the trial is
 * judged with them.
 */
async function askLater(running: Running, variants: DescribedVariants, trials: Trial[]): Promise<Trial[]> {
  const { collectors, place, store, report, signal } = running;
  const finished = trials.filter(({ state }) => state === 'finished');
  const known = new Map(trials.map((trial) => [trial.id, trial]));
  if (signal.aborted) return trials;
  for (const { name, later } of collectors) {
    if (!later) continue;
    try {
      const context = place.eventsBetween ? { eventsBetween: place.eventsBetween } : {};
      for (const [id, { measures = {}, facts = {} }] of await later(finished, context)) {
        const trial = known.get(id);
        if (!trial) continue;
        await store.saveLater(id, { collector: name, measures, facts });
        const merged: Trial = { ...trial, ...mergeFindings([trial, { measures, facts }]) };
        known.set(id, { ...merged, checks: judgeTrial(running, variants, merged, await store.series.read(trial)) });
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      report({ kind: 'warning', text: `${name} could not be asked once more: ${error.message}` });
    }
  }
  return [...known.values()];
}

async function conclude(
  { store, steps, signal, now }: Running,
  run: RunRecord,
  trials: readonly Trial[],
  stoppedAfterBlock: number | undefined,
): Promise<Result> {
  const stoppedBy = signal.reason instanceof LimitReached ? signal.reason.message : undefined;
  const inOrder = [...trials].sort((a, b) => (a.endedAt < b.endedAt ? -1 : a.endedAt > b.endedAt ? 1 : 0));
  const result = await assembleResult(
    { run, steps, trials: inOrder },
    { endedAt: now().toISOString(), stoppedAfterBlock, stoppedBy },
    store.series,
  );
  await store.saveResult(result);
  return result;
}
