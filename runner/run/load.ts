import { failureOf, wordsOf, UserError } from '../contract/errors.ts';
import type { LoadStep } from '../contract/plan.ts';
import type { ServerLoad } from '../contract/result.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { inFolder } from '../files/open-folder.ts';
import { removeCoreDumps } from '../files/core-dumps.ts';
import { type PlacedTarget, targetAt } from '../places/place.ts';
import { allOrNone, withConnection } from '../postgres/connect.ts';
import { resetValues } from '../postgres/reset-steps.ts';
import { copyForVariant, hasLoadedCopy, keepLoadedCopy, removeLoadMark } from '../postgres/loaded-copy.ts';
import { carryOutAndSave } from './carry-out-step.ts';
import type { ActiveRun } from './run-shape.ts';
import { changesBetween } from './found-again.ts';
import { isWhole, missingFrom, prepareAndMark, readMarks, requireEqualContents } from './loaded-data.ts';
import { withCauseInParameter } from '../places/named-parameter.ts';
import { withCauseInLog, withTries } from './retry.ts';

/**
 * Fills the databases of the variants, one variant after another. All servers of a variant are loaded at the same time.
 * A server that fails is loaded again, alone.
 *
 * @param onFirst called with a server of the first variant that is loaded, before the others are
 */
export async function load(
  running: ActiveRun,
  step: LoadStep,
  onFirst: (server: Conditions) => Promise<void>,
): Promise<void> {
  const { plan, place, signal } = running;
  await carryOutAndSave(running, step, async (found) => {
    const loads = (found.loads = new Array<ServerLoad>());
    await place.activateOnly([], signal);
    const copied = new Set<string>();
    for (const [index, variant] of step.variants.entries()) {
      const servers = serversOf([variant], plan.replicas);
      await allOrNone(servers, (server, ended) => loadServer(running, step, server, { loads, copied, ended }));
      const [first] = servers;
      if (index === 0 && first) await onFirst(first);
    }
    await compareLoads(running);
  });
}

async function loadServer(
  running: ActiveRun,
  { keepCopy }: LoadStep,
  server: Conditions,
  { loads, copied, ended }: { loads: ServerLoad[]; copied: Set<string>; ended: AbortSignal },
): Promise<void> {
  const { place, report, signal: interrupted, now, handover, isResumed } = running;
  const handedOver = handover?.loads.find((one) => one.server === serverName(server));
  if (handedOver) {
    loads.push(handedOver);
    return;
  }
  const target = targetAt(place, server);
  const signal = AbortSignal.any([interrupted, ended, target.failed]);
  const read = (): Promise<Record<string, string>> => withConnection(target, (client) => resetValues(client), signal);
  let had: Record<string, string> | undefined;
  await withTries(running, `Loading ${target.server}`, signal, async () => {
    const startedAt = now();
    const record = (
      outcome: ServerLoad['outcome'],
      more: Pick<ServerLoad, 'error' | 'failure' | 'settings' | 'prepared'> = {},
    ): void => {
      const times = { startedAt: startedAt.toISOString(), endedAt: now().toISOString() };
      const load = { server: serverName(server), ...times, outcome, ...more };
      loads.push(load);
      if (outcome === 'loaded') handover?.loads.push(load);
    };
    try {
      const before = isResumed && (await isWhole(running, server, target, signal));
      let settings: Record<string, [string, string]> = {};
      let prepared: NonNullable<ServerLoad['prepared']> = [];
      if (!before) {
        // A failed load may already have changed some settings.
        had ??= await read();
        await withCauseInParameter(target, async () => {
          prepared = await fill(running, server, target, { copied, signal });
        });
        settings = changesBetween(had, await read());
      }
      // The copy from an earlier start is what was loaded. The database itself may have been measured since.
      if (keepCopy && !(before && (await hasLoadedCopy(target, signal)))) await keepLoadedCopy(target, signal);
      record(before ? 'loaded-before' : 'loaded', {
        ...(Object.keys(settings).length > 0 && { settings }),
        ...(prepared.length > 0 && { prepared }),
      });
      if (before) report({ kind: 'load-skipped', conditions: server });
      else report({ kind: 'loaded', conditions: server, seconds: (now().getTime() - startedAt.getTime()) / 1000 });
    } catch (error) {
      record('failed', { error: wordsOf(error), failure: failureOf(error) });
      throw error;
    }
  });
}

/**
 * If the servers were not loaded alike, all of them must be loaded anew: nobody knows which one has the intended data.
 */
async function compareLoads(running: ActiveRun): Promise<void> {
  const { plan, place, signal } = running;
  // A server that does not answer now does not mean that the data is wrong.
  const loaded = await readMarks(running);
  try {
    requireEqualContents(running, loaded);
  } catch (error) {
    for (const server of serversOf(plan.variants, plan.replicas)) {
      await withConnection(targetAt(place, server), removeLoadMark, signal);
    }
    throw error;
  }
}

/**
 * Loads a database and prepares it as its variant asks for.
 *
 * @param of.copied servers whose databases hold a copy of what was loaded into another of the same server, before it was
 *   prepared
 */
async function fill(
  running: ActiveRun,
  server: Conditions,
  target: PlacedTarget,
  { copied, signal }: { copied: Set<string>; signal: AbortSignal },
): Promise<NonNullable<ServerLoad['prepared']>> {
  await running.kept.requireUnchanged('load');
  // One that is loaded again, after a failure, is loaded from the start.
  if (!copied.delete(target.server)) {
    await generate(running, server, target, signal);
    for (const other of databasesBeside(running, target)) {
      await copyForVariant(target, other, signal);
      copied.add(other.server);
    }
  }
  return prepareAndMark(running, server, target, signal);
}

/** The databases of other variants on the same server, for the variant that is loaded first of them. */
function databasesBeside({ place }: ActiveRun, { server, service }: PlacedTarget): PlacedTarget[] {
  const all = [...place.targets.values()].filter((one) => service !== undefined && one.service?.name === service.name);
  return all[0]?.server === server ? all.slice(1) : [];
}

async function generate(
  running: ActiveRun,
  server: Conditions,
  target: PlacedTarget,
  signal: AbortSignal,
): Promise<void> {
  const { generatorAt, plan, store, report } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  await withConnection(target, removeLoadMark, signal);
  const onProgress = (done: number): void => report({ kind: 'loading', step: 'load', conditions: server, done });
  // The load's log is opened in the folder itself: by its path, it could end up in whatever has replaced the run's
  // folder.
  await inFolder(store.known, [], {}, ({ at }) =>
    withCauseInLog(target, () => generator.load(target, { folder: at, signal, onProgress })).finally(() => {
      for (const text of removeCoreDumps(at)) report({ kind: 'warning', text });
    }),
  );
  const lacking = await missingFrom(running, target, signal, null);
  if (lacking.length > 0) {
    const message = `${target.server} was loaded, but is missing ${lacking.join(', ')}`;
    // The user's files would make the same again.
    throw isFromFiles(running)
      ? new UserError(`${message}. Check what the files of workload.load create.`)
      : new Error(message);
  }
}

function isFromFiles({ tool, experiment }: ActiveRun): boolean {
  return tool.loadFiles(experiment.workload).length > 0;
}
