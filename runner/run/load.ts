import { UserError } from '../contract/errors.ts';
import type { LoadStep } from '../contract/plan.ts';
import type { ServerLoad } from '../contract/result.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { inFolder } from '../files/open-folder.ts';
import { type PlacedTarget, targetAt } from '../places/place.ts';
import { allOrNone } from '../postgres/all-or-none.ts';
import { withConnection } from '../postgres/connect.ts';
import { resetValues } from '../postgres/reset-steps.ts';
import { requireSameContents } from '../postgres/contents.ts';
import { hasLoadedCopy, keepLoadedCopy, removeLoadMark } from '../postgres/loaded-copy.ts';
import { carryOutAndSave } from './carry-out-step.ts';
import type { ActiveRun } from './execution.ts';
import { changesBetween, isWhole, markLoaded, missingFrom, readLoaded } from './loaded-data.ts';
import { withTries } from './retry.ts';
import { withCauseInLog, withCauseInParameter } from './causes.ts';

/**
 * Fills the databases of the variants, one variant after another, the servers of each at the same time. A server that
 * fails is loaded again, alone.
 *
 * @param isResumed whether servers that an earlier start has loaded are left as they are
 */
export async function load(running: ActiveRun, step: LoadStep, { isResumed }: { isResumed: boolean }): Promise<void> {
  const { plan, place, signal } = running;
  await carryOutAndSave(running, step, async (found) => {
    const loads = (found.loads = new Array<ServerLoad>());
    await place.activateOnly([], signal);
    for (const variant of step.variants) {
      await allOrNone(serversOf([variant], plan.replicas), (server, ended) =>
        loadServer(running, step, server, { loads, isResumed, ended }),
      );
    }
    await compareLoads(running);
  });
}

async function loadServer(
  running: ActiveRun,
  { keepCopy }: LoadStep,
  server: Conditions,
  { loads, isResumed, ended }: { loads: ServerLoad[]; isResumed: boolean; ended: AbortSignal },
): Promise<void> {
  const { place, report, signal: interrupted, now } = running;
  const target = targetAt(place, server);
  const signal = AbortSignal.any([interrupted, ended, target.failed]);
  const read = (): Promise<Record<string, string>> => withConnection(target, (client) => resetValues(client), signal);
  let had: Record<string, string> | undefined;
  await withTries(running, `Loading ${target.server}`, signal, async () => {
    const startedAt = now();
    const record = (outcome: ServerLoad['outcome'], more: Pick<ServerLoad, 'error' | 'settings'> = {}): void => {
      const times = { startedAt: startedAt.toISOString(), endedAt: now().toISOString() };
      loads.push({ server: serverName(server), ...times, outcome, ...more });
    };
    try {
      const before = isResumed && (await isWhole(running, target, signal));
      let settings: Record<string, [string, string]> = {};
      if (!before) {
        // A load that failed may have changed some already.
        had ??= await read();
        await withCauseInParameter(target, () => fill(running, server, target, signal));
        settings = changesBetween(had, await read());
      }
      // The copy of an earlier start is what was loaded; the database itself may have been measured since.
      if (keepCopy && !(before && (await hasLoadedCopy(target, signal)))) await keepLoadedCopy(target, signal);
      record(before ? 'loaded-before' : 'loaded', Object.keys(settings).length > 0 ? { settings } : {});
      if (before) report({ kind: 'load-skipped', conditions: server });
      else report({ kind: 'loaded', conditions: server, seconds: (now().getTime() - startedAt.getTime()) / 1000 });
    } catch (error) {
      record('failed', { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  });
}

/** What was not loaded alike is to be loaded anew: which of the servers holds what was meant, nobody knows. */
async function compareLoads(running: ActiveRun): Promise<void> {
  const { plan, place, signal, tool } = running;
  // A server that does not answer now says nothing against what was loaded.
  const loaded = await readLoaded(running);
  try {
    requireSameContents(loaded, tool.drawnTables);
  } catch (error) {
    for (const server of serversOf(plan.variants, plan.replicas)) {
      await withConnection(targetAt(place, server), removeLoadMark, signal);
    }
    throw error;
  }
}

async function fill(running: ActiveRun, server: Conditions, target: PlacedTarget, signal: AbortSignal): Promise<void> {
  const { generatorAt, plan, store, report } = running;
  await running.kept.requireUnchanged('load');
  const generator = await generatorAt(plan.levels[0] ?? {});
  await withConnection(target, removeLoadMark, signal);
  const onProgress = (done: number): void => report({ kind: 'loading', step: 'load', conditions: server, done });
  // Its log is opened when the load begins: by the path, it could be in what took the place of the run's folder.
  await inFolder(store.known, [], {}, ({ at }) =>
    withCauseInLog(target, () => generator.load(target, { folder: at, signal, onProgress })),
  );
  const lacking = await missingFrom(running, target, signal, null);
  if (lacking.length > 0) {
    const message = `${target.server} was loaded, but lacks ${lacking.join(', ')}`;
    // Files of the user make the same again.
    throw isFromFiles(running)
      ? new UserError(`${message}. Look at what the files of workload.load make.`)
      : new Error(message);
  }
  await markLoaded(running, target, signal);
}

function isFromFiles({ tool, experiment }: ActiveRun): boolean {
  return (tool.loadFiles?.(experiment.workload) ?? []).length > 0;
}
