import { tmpdir } from 'node:os';
import path from 'node:path';
import { realPath } from '../files/look.ts';
import { assembleResult } from '../analysis/assemble.ts';
import { maxClients } from '../experiment/plan/design.ts';
import type { OpenOptions, PlaceOpener } from '../places/definition.ts';
import { placeHere, placeOf } from '../places/registry.ts';
import { newFolderStore } from '../storage/results-folder.ts';
import type { RunStore } from '../storage/run-store.ts';
import type { OnEvent } from '../contract/status.ts';
import type { Trial } from '../contract/trial.ts';
import { describeDriver } from './driver.ts';
import { withEarlierStarts } from './run-identity.ts';
import { codeFolderOf } from './inputs.ts';
import { keepStart, type StartKeeper } from './starts.ts';
import { equipmentOf, localClock, type PlannedRun, type Run } from './run-shape.ts';
import { carryOutRun, type RunOutcome } from './run.ts';
import { timeLimit } from './time-limit.ts';
import { type UnfinishedRun, unfinishedRun } from './unfinished-run.ts';

/** Shows a run to somebody while it is carried out. */
export interface RunObserver {
  /** A resumed run has these trials already. */
  resumesAfter: (earlier: readonly Trial[]) => void;
  /**
   * For what takes processor time: no load runs, and the next trial begins afterwards.
   *
   * @param store the run as it is so far
   */
  betweenTrials: (store: RunStore) => Promise<void>;
}

interface OptionsHere extends Pick<
  Run,
  'stages' | 'keep' | 'report' | 'blind' | 'onTriedOut' | 'handover' | 'say' | 'signal'
> {
  /** Folder of the experiment's runs. */
  results: string;
  resume: boolean;
  place: Pick<OpenOptions, 'pgBindir' | 'volumes' | 'environment' | 'allowActivity'>;
  /** What shows the run in a page while it is carried out; absent if none is served. */
  observer?: RunObserver | undefined;
}

/**
 * Carries out a run at the place of its experiment, with this machine as the driver, and keeps it below `results`.
 *
 * @throws {UserError} if only the driver of a deploy can open this place
 */
export async function runHere(run: PlannedRun, options: OptionsHere): Promise<RunOutcome | null> {
  const { stages, results, resume, report, observer, say, signal } = options;
  const opener = await placeHere(run.experiment).open();
  // First, because a run that has nothing left to measure may have left servers, too.
  await opener.cleanUp(say, signal);
  const unfinished = resume ? await unfinishedRun(results, run, signal) : null;
  if (unfinished) observer?.resumesAfter(unfinished.earlier.trials);
  const warn = (text: string): void => report({ kind: 'warning', text });
  if (unfinished?.warning) warn(unfinished.warning);
  const starts = stages.run && run.start ? await keepStart(run.start, { now: localClock.now, warn }) : undefined;
  let outcome: RunOutcome | null = null;
  try {
    outcome = unfinished?.measured
      ? await onlyConclude(unfinished, report)
      : await measureHere(run, options, opener, { unfinished, starts });
    return outcome;
  } finally {
    await starts?.ended({ result: outcome?.result ?? null, interrupted: signal.aborted });
  }
}

async function measureHere(
  run: PlannedRun,
  { results, resume, place, observer, ...options }: OptionsHere,
  opener: PlaceOpener,
  { unfinished, starts }: { unfinished: UnfinishedRun | null; starts: StartKeeper | undefined },
): Promise<RunOutcome | null> {
  const { stages, handover, say, signal } = options;
  const { experiment, inputs } = run;
  const { now } = localClock;
  const startedAt = unfinished ? new Date(unfinished.earlier.run.startedAt) : now();
  const limit = timeLimit(experiment.limits, { startedAt, bill: null, now });
  try {
    const prepared = await opener.prepare(experiment, {
      ...place,
      clients: maxClients(experiment),
      folder: codeFolderOf(inputs),
      kept: !stages.load,
      results,
      say,
      warn: (text) => options.report({ kind: 'warning', text }),
      signal,
    });
    const { programs, otherPrograms } = prepared;
    const where = { programs, ...(otherPrograms && { otherPrograms }) };
    return await carryOutRun({
      ...run,
      ...options,
      ...equipmentOf(experiment, where),
      ...localClock,
      driver: await describeDriver(experiment, { ...where, folder: realPath(tmpdir()) }, inputs, signal),
      starts,
      openPlace: () => handover?.open(prepared.open) ?? prepared.open(),
      openStore: () => unfinished?.store ?? newFolderStore(path.resolve(results), now()),
      earlier: unfinished?.earlier ?? null,
      isResumed: resume && !placeOf(experiment).isMadeByRun,
      live: observer !== undefined,
      betweenTrials: observer?.betweenTrials,
      startedAt,
      signal: AbortSignal.any([signal, limit.signal]),
    });
  } finally {
    limit.clear();
  }
}

/** Makes the result of a run that was killed after its last trial. */
async function onlyConclude({ store, earlier }: UnfinishedRun, report: OnEvent): Promise<RunOutcome> {
  const endedAt = earlier.trials.at(-1)?.endedAt ?? null;
  const assembled = await assembleResult(earlier, { endedAt }, store.series);
  const result = withEarlierStarts(assembled, store.folder, report);
  await store.saveResult(result);
  return { result, store };
}
