import { failureOf, UnfitTrials, wordsOf } from '../contract/errors.ts';
import { removeTree } from '../files/write.ts';
import type { Place } from '../places/place.ts';
import { assembleResult } from '../analysis/assemble.ts';
import { asLoaded } from '../analysis/loaded-settings.ts';
import { rejudge } from '../analysis/validity/rejudge.ts';
import type { CarriedOutStep, Result } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import { serverName } from '../contract/server.ts';
import { type Conditions, inOrderOfEnd, type Trial } from '../contract/trial.ts';
import { type StopReason, stopReason } from '../contract/stop.ts';
import { memoryExhausted, watchMemory } from '../machine/memory-kills.ts';
import { placeNamed, placeOf } from '../places/registry.ts';
import type { RunStore, StoredRun } from '../storage/run-store.ts';
import type { TriedOut } from '../workloads/load-generator.ts';
import { collectAfterRun } from './collect-after-run.ts';
import { withoutFigures } from './blind.ts';
import { calibrate, lookBeforeLoading } from './look-around.ts';
import { describeVariants, runRecord } from './driver.ts';
import { requireSame, identityOf, withEarlierStarts } from './run-identity.ts';
import type { ActiveRun, Run } from './run-shape.ts';
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

/** A run that has measured, with the place where it is kept. */
export interface RunOutcome {
  result: Result;
  store: RunStore;
}

/**
 * Carries out a plan: loads, measures, or both. Each trial is saved as soon as it has ended, so a run that is cut off
 * can be read and resumed. An interrupted run also returns its result: the caller must check the signal.
 *
 * @returns null if nothing was to be measured
 * @throws if creating or loading fails or is interrupted: there is then nothing to keep
 */
export async function carryOutRun(run: Run): Promise<RunOutcome | null> {
  const memoryRanOut = watchMemory();
  try {
    return await carryOutAndClose(run.blind ? { ...run, report: (event) => run.report(withoutFigures(event)) } : run);
  } catch (error) {
    const killed = memoryRanOut();
    if (killed === null || run.signal.aborted || failureOf(error) === 'memory-ran-out') throw error;
    throw memoryExhausted(`${wordsOf(error)}\n${killed}`, error);
  }
}

async function carryOutAndClose(run: Run): Promise<RunOutcome | null> {
  const { stages, earlier, handover, say } = run;
  const [left] = blocksLeft(run.plan, run.experiment, earlier?.trials ?? []);
  if (stages.load && left && placeOf(run.experiment).sharesMachine && handover?.isOpen() !== true) {
    await lookBeforeLoading(run);
  }
  const { place, done } = await create(run, stages.run ? left?.[0]?.period : undefined);
  let active: ActiveRun | null = null;
  let succeeded = false;
  try {
    active = await open(run, place);
    const outcome = stages.run ? await loadAndMeasure(active, done) : await onlyLoad(active, done);
    succeeded = true;
    return outcome;
  } catch (error) {
    // What was measured instead is in another folder.
    if (error instanceof UnfitTrials && active) removeTree(active.store.folder);
    throw error;
  } finally {
    const keep = run.keep ?? (succeeded && !stages.run);
    const kept = await place.close({ keep }).catch((error: unknown) => {
      if (succeeded && !run.signal.aborted) throw error;
      // The caller receives the first error. Only this warning says what is left behind.
      warnOf(error, run);
      return null;
    });
    if (kept !== null) say(kept);
  }
}

async function open(run: Run, place: Place): Promise<ActiveRun> {
  for (const text of place.removableCaveats ?? []) run.report({ kind: 'warning', text });
  const store = run.openStore();
  const kept = await keepInputs(run, store.folder);
  const active: ActiveRun = {
    ...run,
    place,
    store,
    kept,
    generatorAt: run.generatorsIn(kept.scriptFolder),
    foundAgain: { settings: new Map(), shapes: new Map() },
    tried: run.handover?.tried ?? new Map<string, TriedOut | null>(),
    steps: [...(run.earlier?.steps ?? [])],
  };
  return run.stages.run ? { ...active, ceilings: await calibrate(active) } : active;
}

async function onlyLoad(active: ActiveRun, created: CarriedOutStep): Promise<null> {
  await keepStep(active, created);
  await carryOutLoad(active, { before: [], triesFirst: false });
  return null;
}

/** Saves the run before loading, so that a start that is cut off during loading can be resumed, too. */
async function loadAndMeasure(active: ActiveRun, created: CarriedOutStep): Promise<RunOutcome> {
  const { store, stages, earlier } = active;
  const described = await describeVariants(active);
  const record = runRecord(active, described);
  if (earlier) requireSame(store.location, identityOf(withItsLoad(active, earlier)), identityOf(record));
  else await store.saveRun(record);
  if (earlier) await store.goOn();
  await keepStep(active, created);
  if (stages.load) await carryOutLoad(active, { before: earlier?.steps ?? [], triesFirst: true });
  else await requireLoaded(active);
  await noteSettings(active);
  await tryOut(active);
  const before = earlier ? await rejudge(earlier, store.series) : [];
  const variants: DescribedVariants = new Map(
    asLoaded(described, active.steps).map((one) => [serverName({ variant: one.name, replica: one.replica }), one]),
  );
  const { trials, ...stopped } = await measureBlocks(active, variants, before);
  const found = await collectAfterRun(active, variants, trials);
  return { result: await finishRun(active, earlier?.run ?? record, found, stopped), store };
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
  active: ActiveRun,
  { before, triesFirst }: { before: readonly CarriedOutStep[]; triesFirst: boolean },
): Promise<void> {
  async function onFirst(server: Conditions): Promise<void> {
    if (!triesFirst) return;
    await noteSettings(active, [server]);
    await tryOut(active, [server]);
  }
  const finished = new Set(
    before.flatMap(({ step, error }) => (active.isResumed && error === undefined ? [step] : [])),
  );
  for (const step of active.plan.steps) {
    if (step.kind === 'measure') return;
    if (finished.has(step.kind)) {
      // By now, another database may have the same name.
      if (step.kind === 'load' || step.kind === 'touch') await requireLoaded(active);
      continue;
    }
    if (step.kind === 'load') await load(active, step, onFirst);
    if (step.kind === 'touch') await readIntoCache(active, step);
    if (step.kind === 'settle') await settle(active, step);
    if (step.kind === 'snapshot') await snapshot(active, step);
  }
}

async function finishRun(
  { store, steps, signal, now, report }: ActiveRun,
  run: RunRecord,
  trials: readonly Trial[],
  stopped: { stoppedAfterBlock?: number; stoppedBy?: StopReason },
): Promise<Result> {
  // A limit that is reached after the look that ended the run has stopped nothing.
  const isAtLook = stopped.stoppedAfterBlock !== undefined;
  const stoppedBy =
    !isAtLook && signal.reason instanceof LimitReached
      ? stopReason('limit-reached', signal.reason.message)
      : stopped.stoppedBy;
  const assembled = await assembleResult(
    { run, steps, trials: inOrderOfEnd(trials) },
    { ...stopped, stoppedBy, endedAt: now().toISOString() },
    store.series,
  );
  const result = withEarlierStarts(assembled, store.folder, report);
  await store.saveResult(result);
  return result;
}
