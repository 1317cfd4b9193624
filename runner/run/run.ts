import { assembleResult } from '../analysis/assemble.ts';
import { asLoaded } from '../analysis/undeclared-differences.ts';
import { rejudge } from '../analysis/validity/rejudge.ts';
import type { CarriedOutStep, Result } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import type { RunEvent } from '../contract/status.ts';
import { serverName } from '../contract/server.ts';
import { type Conditions, inOrderOfEnd, type Trial } from '../contract/trial.ts';
import { MemoryExhausted, watchMemory } from '../machine/memory-kills.ts';
import { placeNamed, placeOf } from '../places/registry.ts';
import type { StoredRun } from '../storage/run-store.ts';
import type { TriedOut } from '../workloads/load-generator.ts';
import { collectAfterRun } from './collect-after-run.ts';
import { withoutFigures } from './blind.ts';
import { calibrate, lookBeforeLoading } from './look-around.ts';
import { describeVariants, runRecord } from './driver.ts';
import { requireSame, identityOf, withEarlierStarts } from './run-identity.ts';
import type { Execution, ActiveRun } from './execution.ts';
import { keepStep } from './carry-out-step.ts';
import { keepInputs } from './inputs.ts';
import { load } from './load.ts';
import { noteSettings } from './found-again.ts';
import { requireLoaded } from './loaded-data.ts';
import { blocksLeft, measureBlocks } from './measure-blocks.ts';
import { create, settle, snapshot, readIntoCache, warnOf } from './steps.ts';
import { LimitReached } from './time-limit.ts';
import { tryOut } from './try-out.ts';
import type { DescribedVariants } from './trial-record.ts';

export interface RunOptions {
  stages: { load: boolean; run: boolean };
  /** What an earlier start of the same run left; null for a new one. */
  earlier: StoredRun | null;
  /**
   * Whether the databases are those of the earlier start. If so, databases that were loaded completely are not loaded
   * again, and a block that was cut off is resumed. On this machine, every start makes new ones.
   */
  isResumed: boolean;
  /** Whether to keep the place after the run. */
  keep: (outcome: { succeeded: boolean }) => boolean;
  /** Receives a text that says how to reach a kept place. */
  onKept: (message: string) => void;
}

/**
 * Carries out a plan: loads, measures, or both. Each trial is saved as soon as it has ended, so a run that is cut off
 * can be read and resumed. An interrupted run also returns its result: the caller must check the signal.
 *
 * @returns null if nothing was to be measured
 * @throws if creating or loading fails or is interrupted: there is then nothing to keep
 */
export async function carryOutRun(prepared: Execution, options: RunOptions): Promise<Result | null> {
  const memoryRanOut = watchMemory();
  try {
    return await carryOutAndClose(prepared, options);
  } catch (error) {
    const killed = memoryRanOut();
    if (killed === null || prepared.signal.aborted || error instanceof MemoryExhausted) throw error;
    throw new MemoryExhausted(`${error instanceof Error ? error.message : String(error)}\n${killed}`, { cause: error });
  }
}

async function carryOutAndClose(prepared: Execution, options: RunOptions): Promise<Result | null> {
  const { stages, earlier } = options;
  const execution = prepared.blind
    ? { ...prepared, report: (event: RunEvent) => prepared.report(withoutFigures(event)) }
    : prepared;
  const [left] = blocksLeft(execution.plan, execution.experiment, earlier?.trials ?? []);
  const { handover } = execution;
  if (stages.load && left && placeOf(execution.experiment).sharesMachine && handover?.isOpen() !== true) {
    await lookBeforeLoading(execution);
  }
  const { place, done } = await create(execution, stages.run ? left?.[0]?.period : undefined);
  let succeeded = false;
  try {
    for (const text of place.caveats) execution.report({ kind: 'warning', text });
    const store = execution.openStore();
    const kept = await keepInputs(execution, store.folder);
    const generatorAt = execution.generatorsIn(kept.scriptFolder);
    const opened: ActiveRun = {
      ...execution,
      place,
      store,
      kept,
      generatorAt,
      foundAgain: { settings: new Map(), shapes: new Map() },
      tried: handover?.tried ?? new Map<string, TriedOut | null>(),
      steps: [...(earlier?.steps ?? [])],
    };
    const running: ActiveRun = { ...opened, ceilings: stages.run ? await calibrate(opened) : [] };
    const result = await carryOutStages(running, done, options);
    succeeded = true;
    return result;
  } finally {
    const kept = await place.close({ keep: options.keep({ succeeded }) }).catch((error: unknown) => {
      if (succeeded && !execution.signal.aborted) throw error;
      // The caller receives the first error. Only this warning says what is left behind.
      warnOf(error, execution);
      return null;
    });
    if (kept !== null) options.onKept(kept);
  }
}

/** Saves the run before loading, so that a start that is cut off during loading can be resumed, too. */
async function carryOutStages(
  running: ActiveRun,
  created: CarriedOutStep,
  { stages, earlier, isResumed }: RunOptions,
): Promise<Result | null> {
  if (!stages.run) {
    await keepStep(running, created);
    await carryOutLoad(running, { isResumed, before: [], triesFirst: false });
    return null;
  }
  const described = await describeVariants(running);
  const record = runRecord(running, described);
  if (earlier) requireSame(running.store.location, identityOf(withItsLoad(running, earlier)), identityOf(record));
  else await running.store.saveRun(record);
  const run = earlier?.run ?? record;
  if (earlier) await running.store.goOn();
  await keepStep(running, created);
  if (stages.load) await carryOutLoad(running, { isResumed, before: earlier?.steps ?? [], triesFirst: true });
  else await requireLoaded(running);
  await noteSettings(running);
  await tryOut(running);
  const before = earlier ? await rejudge(earlier, running.store.series) : [];
  const variants: DescribedVariants = new Map(
    asLoaded(described, running.steps).map((record) => [
      serverName({ variant: record.name, replica: record.replica }),
      record,
    ]),
  );
  const { trials, ...stopped } = await measureBlocks(running, variants, { earlier: before, isResumed });
  return finishRun(running, run, await collectAfterRun(running, variants, trials), stopped);
}

/** Servers that the run does not make itself keep the data of an earlier start, and the settings that came with it. */
function withItsLoad({ place }: ActiveRun, { run, steps }: StoredRun): RunRecord {
  return placeNamed(place.kind).isMadeByRun ? run : { ...run, variants: asLoaded(run.variants, steps) };
}

/**
 * Carries out the steps before the first trial.
 *
 * @param options.before what earlier starts of the run have carried out
 * @param options.triesFirst whether to try the scripts on the first server as soon as it is loaded: a mistake, and trials
 *   that are too short for them, show before the others are loaded
 */
async function carryOutLoad(
  running: ActiveRun,
  { isResumed, before, triesFirst }: { isResumed: boolean; before: readonly CarriedOutStep[]; triesFirst: boolean },
): Promise<void> {
  async function onFirst(server: Conditions): Promise<void> {
    if (!triesFirst) return;
    await noteSettings(running, [server]);
    await tryOut(running, [server]);
  }
  const finished = new Set(before.flatMap(({ step, error }) => (isResumed && error === undefined ? [step] : [])));
  for (const step of running.plan.steps) {
    if (step.kind === 'measure') return;
    if (finished.has(step.kind)) {
      // By now, another database may have the same name.
      if (step.kind === 'load' || step.kind === 'touch') await requireLoaded(running);
      continue;
    }
    if (step.kind === 'load') await load(running, step, { isResumed, onFirst });
    if (step.kind === 'touch') await readIntoCache(running, step);
    if (step.kind === 'settle') await settle(running, step);
    if (step.kind === 'snapshot') await snapshot(running, step);
  }
}

async function finishRun(
  { store, steps, signal, now, report }: ActiveRun,
  run: RunRecord,
  trials: readonly Trial[],
  stopped: { stoppedAfterBlock?: number; stoppedBy?: string },
): Promise<Result> {
  const stoppedBy = signal.reason instanceof LimitReached ? signal.reason.message : stopped.stoppedBy;
  const assembled = await assembleResult(
    { run, steps, trials: inOrderOfEnd(trials) },
    { ...stopped, stoppedBy, endedAt: now().toISOString() },
    store.series,
  );
  const result = withEarlierStarts(assembled, store.folder, report);
  await store.saveResult(result);
  return result;
}
