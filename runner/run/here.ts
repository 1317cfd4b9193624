import { tmpdir } from 'node:os';
import path from 'node:path';
import { realPath } from '../files/look.ts';
import { removeTree } from '../files/write.ts';
import { assembleResult } from '../analysis/assemble.ts';
import { UnfitTrials } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import { maxClients } from '../experiment/plan/design.ts';
import type { OpenOptions, PlaceOpener } from '../places/definition.ts';
import { placeHere, placeOf } from '../places/registry.ts';
import { newFolderStore } from '../storage/results-folder.ts';
import type { RunStore } from '../storage/run-store.ts';
import type { OnEvent } from '../contract/status.ts';
import type { Trial } from '../contract/trial.ts';
import { describeDriver } from './driver.ts';
import { withEarlierStarts } from './run-identity.ts';
import { type StartKeeper, withStart } from './starts.ts';
import { equipmentOf, type Execution, localClock, type PreparedRun } from './execution.ts';
import { carryOutRun, type RunOptions } from './run.ts';
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

/**
 * Carries out a run at the place of its experiment, with this machine as the driver, and keeps it below `results`.
 *
 * @throws {UserError} if only the driver of a deploy can open this place
 */
export async function runHere(
  run: PreparedRun,
  options: OptionsHere,
): Promise<{ result: Result; store: RunStore } | null> {
  const { stages, results, resume, report, observer, say, signal } = options;
  const opener = await placeHere(run.experiment).open();
  // First, because a run that has nothing left to measure may have left servers, too.
  await opener.cleanUp(say, signal);
  const unfinished = resume ? await unfinishedRun(results, run, signal) : null;
  if (unfinished) observer?.resumesAfter(unfinished.earlier.trials);
  const { now } = localClock;
  const warn = (text: string): void => report({ kind: 'warning', text });
  if (unfinished?.warning) warn(unfinished.warning);
  return withStart(stages.run ? run.start : undefined, { now, warn, signal }, (starts) =>
    unfinished?.measured ? onlyConclude(unfinished, report) : measureHere(run, options, opener, { unfinished, starts }),
  );
}

interface OptionsHere {
  stages: RunOptions['stages'];
  /** Folder of the experiment's runs. */
  results: string;
  resume: boolean;
  /** Whether to keep the place; undefined keeps it if it was only loaded, because then only a later run uses it. */
  keep: boolean | undefined;
  place: Pick<OpenOptions, 'pgBindir' | 'volumes' | 'environment'>;
  report: OnEvent;
  blind?: boolean | undefined;
  /** What shows the run in a page while it is carried out; absent if none is served. */
  observer?: RunObserver | undefined;
  onTriedOut?: Execution['onTriedOut'];
  handover?: Execution['handover'];
  say: (line: string) => void;
  signal: AbortSignal;
}

async function measureHere(
  run: PreparedRun,
  { stages, results, resume, keep, place, report, blind, observer, onTriedOut, handover, say, signal }: OptionsHere,
  opener: PlaceOpener,
  { unfinished, starts }: { unfinished: UnfinishedRun | null; starts: StartKeeper | undefined },
): Promise<{ result: Result; store: RunStore } | null> {
  const { now } = localClock;
  const startedAt = unfinished ? new Date(unfinished.earlier.run.startedAt) : now();
  const limit = timeLimit(run.experiment.limits, { startedAt, bill: null, now });
  const prepared = await opener.prepare(run.experiment, {
    ...place,
    clients: maxClients(run.experiment),
    kept: !stages.load,
    say,
    signal,
  });
  const { programs, otherPrograms } = prepared;
  const where = { programs, ...(otherPrograms && { otherPrograms }) };
  let store: RunStore | null = unfinished?.store ?? null;
  try {
    const result = await carryOutRun(
      {
        ...equipmentOf(run.experiment, where),
        inputs: run.inputs,
        driver: await describeDriver(run.experiment, { ...where, folder: realPath(tmpdir()) }, run.inputs, signal),
        plan: run.plan,
        starts,
        openPlace: () => handover?.open(prepared.open) ?? prepared.open(),
        openStore: () => (store ??= newFolderStore(path.resolve(results), now())),
        report,
        onTriedOut,
        handover,
        blind,
        live: observer !== undefined,
        betweenTrials: async () => {
          if (store) await observer?.betweenTrials(store);
        },
        signal: AbortSignal.any([signal, limit.signal]),
        startedAt,
        ...localClock,
      },
      {
        stages,
        earlier: unfinished?.earlier ?? null,
        isResumed: resume && !placeOf(run.experiment).isMadeByRun,
        keep: ({ succeeded }) => keep ?? (succeeded && !stages.run),
        onKept: say,
      },
    );
    return result && store ? { result, store } : null;
  } catch (error) {
    // What was measured instead is in another folder.
    if (error instanceof UnfitTrials && store) removeTree(store.folder);
    throw error;
  } finally {
    limit.clear();
  }
}

/** Makes the result of a run that was killed after its last trial. */
async function onlyConclude(
  { store, earlier }: UnfinishedRun,
  report: OnEvent,
): Promise<{ result: Result; store: RunStore }> {
  const endedAt = earlier.trials.at(-1)?.endedAt ?? null;
  const assembled = await assembleResult(earlier, { endedAt }, store.series);
  const result = withEarlierStarts(assembled, store.folder, report);
  await store.saveResult(result);
  return { result, store };
}
