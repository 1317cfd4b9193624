import { UserError } from '../contract/errors.ts';
import type { LoadStep } from '../contract/plan.ts';
import type { ServerLoad } from '../contract/result.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { targetAt } from '../places/place.ts';
import { allOrNone } from '../postgres/all-or-none.ts';
import { withConnection } from '../postgres/connect.ts';
import { demandLoadedBy, isLoadedBy, readLoadMark, removeLoadMark, writeLoadMark } from '../postgres/load-mark.ts';
import { hasLoadedCopy, keepLoadedCopy } from '../postgres/loaded-copy.ts';
import type { Target } from '../postgres/target.ts';
import { carryOutAndSave } from './carry-out-step.ts';
import type { Running } from './execution.ts';
import { withTries } from './tries.ts';

/**
 * Fills the databases of the variants, one variant after another, the servers of each at the same time. A server that
 * fails is loaded again, alone.
 *
 * @param goOn whether servers that an earlier start has loaded are left as they are
 */
export async function load(running: Running, step: LoadStep, { goOn }: { goOn: boolean }): Promise<void> {
  const { plan, place, signal } = running;
  await carryOutAndSave(running, step, async (found) => {
    const loads = (found.loads = new Array<ServerLoad>());
    await place.putUnderTest([], signal);
    for (const variant of step.variants) {
      await allOrNone(serversOf([variant], plan.replicas), (server, ended) =>
        loadServer(running, step, server, { loads, goOn, ended }),
      );
    }
  });
}

/** @throws {UserError} if a server does not hold the data of this experiment, all of it */
export async function demandLoaded(running: Running): Promise<void> {
  const { plan, place, signal, tool, experiment } = running;
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    demandLoadedBy(mark, tool.name, tool.loadedBy(experiment.workload), target.server);
    const lacking = await missing(running, target, signal);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} does not hold all that was loaded: it lacks ${lacking.join(', ')}. Load it again.`,
      );
    }
  }
}

async function loadServer(
  running: Running,
  { keepCopy }: LoadStep,
  server: Conditions,
  { loads, goOn, ended }: { loads: ServerLoad[]; goOn: boolean; ended: AbortSignal },
): Promise<void> {
  const { place, report, signal: interrupted, now } = running;
  const target = targetAt(place, server);
  const signal = AbortSignal.any([interrupted, ended, target.failed]);
  await withTries(running, `Loading ${target.server}`, signal, async () => {
    const startedAt = now();
    const record = (outcome: ServerLoad['outcome'], error?: string): void => {
      const times = { startedAt: startedAt.toISOString(), endedAt: now().toISOString() };
      loads.push({ server: serverName(server), ...times, outcome, ...(error === undefined ? {} : { error }) });
    };
    try {
      const before = goOn && (await isWhole(running, target, signal));
      if (!before) await fill(running, server, target, signal);
      // The copy of an earlier start is what was loaded; the database itself may have been measured since.
      if (keepCopy && !(before && (await hasLoadedCopy(target, signal)))) await keepLoadedCopy(target, signal);
      record(before ? 'loaded-before' : 'loaded');
      if (before) report({ kind: 'load-skipped', conditions: server });
      else report({ kind: 'loaded', conditions: server, seconds: (now().getTime() - startedAt.getTime()) / 1000 });
    } catch (error) {
      record('failed', error instanceof Error ? error.message : String(error));
      throw error;
    }
  });
}

async function fill(running: Running, server: Conditions, target: Target, signal: AbortSignal): Promise<void> {
  const { generatorAt, plan, store, report, tool, experiment, now } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  await withConnection(target, removeLoadMark, signal);
  await generator.load(target, {
    folder: store.folder,
    signal,
    onProgress: (done) => report({ kind: 'loading', step: 'load', conditions: server, done }),
  });
  const lacking = await missing(running, target, signal);
  if (lacking.length > 0) throw new Error(`${target.server} was loaded, but lacks ${lacking.join(', ')}`);
  const mark = {
    tool: tool.name,
    loadedBy: tool.loadedBy(experiment.workload),
    finishedAt: now().toISOString(),
  };
  await withConnection(target, (client) => writeLoadMark(client, mark), signal);
}

/** Whether the database holds the data of this experiment, and all of it. */
async function isWhole(running: Running, target: Target, signal: AbortSignal): Promise<boolean> {
  const { tool, experiment } = running;
  const mark = await withConnection(target, readLoadMark, signal);
  if (!isLoadedBy(mark, tool.name, tool.loadedBy(experiment.workload))) return false;
  return (await missing(running, target, signal)).length === 0;
}

async function missing({ generatorAt, plan }: Running, target: Target, signal: AbortSignal): Promise<string[]> {
  const generator = await generatorAt(plan.levels[0] ?? {});
  return withConnection(target, (client) => generator.missing(client), signal, { long: true });
}
