import type { Client } from 'pg';
import { UserError } from '../contract/errors.ts';
import type { LoadStep } from '../contract/plan.ts';
import type { ServerLoad } from '../contract/result.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { targetAt } from '../places/place.ts';
import { allOrNone } from '../postgres/all-or-none.ts';
import { withConnection } from '../postgres/connect.ts';
import {
  demandLoadedBy,
  isLoadedBy,
  type LoadMark,
  readLoadMark,
  removeLoadMark,
  writeLoadMark,
} from '../postgres/load-mark.ts';
import { hasLoadedCopy, keepLoadedCopy } from '../postgres/loaded-copy.ts';
import type { Target } from '../postgres/target.ts';
import { loadedWith } from '../workloads/loaded-with.ts';
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
  const { plan, place, signal, tool } = running;
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    demandLoadedBy(mark, tool.name, loadedBy(running), target.server);
    const lacking = await missing(running, target, signal, mark);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} does not hold all that was loaded: it lacks ${lacking.join(', ')}. Load it again.`,
      );
    }
  }
}

/**
 * Proves that servers hold what their snapshot is said to hold. A snapshot of the user's own has no mark of a load, and is
 * proved by what the user expects of it.
 *
 * @throws {UserError} if one does not
 */
export async function demandRestored(running: Running): Promise<void> {
  const { plan, place, signal, tool, experiment } = running;
  const own = tool.restores?.(experiment.workload) ?? null;
  if (own === null) return demandLoaded(running);
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    const lacking = await missing(running, target, signal, isOurs(running, mark) ? mark : null);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} was restored from ${own.snapshot}, but its database ${own.database} lacks ${lacking.join(', ')}.`,
      );
    }
  }
}

/** Marks a server that was restored from a snapshot of the user's own, as one that was loaded. Others have their mark. */
export async function markRestored(running: Running, target: Target, signal: AbortSignal): Promise<void> {
  const { tool, experiment } = running;
  if ((tool.restores?.(experiment.workload) ?? null) === null) return;
  if (isOurs(running, await withConnection(target, readLoadMark, signal))) return;
  await withConnection(target, removeLoadMark, signal);
  await mark(running, target, signal);
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
  const { generatorAt, plan, store, report } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  await withConnection(target, removeLoadMark, signal);
  await generator.load(target, {
    folder: store.folder,
    signal,
    onProgress: (done) => report({ kind: 'loading', step: 'load', conditions: server, done }),
  });
  const lacking = await missing(running, target, signal, null);
  if (lacking.length > 0) {
    const message = `${target.server} was loaded, but lacks ${lacking.join(', ')}`;
    // Files of the user make the same again.
    throw isFromFiles(running)
      ? new UserError(`${message}. Look at what the files of workload.load make.`)
      : new Error(message);
  }
  await mark(running, target, signal);
}

/** Says that the load has finished, with what there is then. */
async function mark(running: Running, target: Target, signal: AbortSignal): Promise<void> {
  const { generatorAt, plan, tool, now } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  const work = async (client: Client): Promise<void> => {
    const holds = await generator.holds?.(client);
    const finished = { tool: tool.name, loadedBy: loadedBy(running), finishedAt: now().toISOString() };
    await writeLoadMark(client, holds === undefined ? finished : { ...finished, holds });
  };
  await withConnection(target, work, signal, { long: true });
}

/** Whether the database holds the data of this experiment, and all of it. */
async function isWhole(running: Running, target: Target, signal: AbortSignal): Promise<boolean> {
  const mark = await withConnection(target, readLoadMark, signal);
  return isOurs(running, mark) && (await missing(running, target, signal, mark)).length === 0;
}

function isOurs(running: Running, mark: LoadMark | null): boolean {
  return isLoadedBy(mark, running.tool.name, loadedBy(running));
}

function loadedBy({ tool, experiment, driver }: Running): unknown {
  return loadedWith(tool, experiment.workload, driver.tool.files);
}

function isFromFiles({ tool, experiment }: Running): boolean {
  return (tool.loadFiles?.(experiment.workload) ?? []).length > 0;
}

async function missing(
  { generatorAt, plan }: Running,
  target: Target,
  signal: AbortSignal,
  mark: LoadMark | null,
): Promise<string[]> {
  const generator = await generatorAt(plan.levels[0] ?? {});
  return withConnection(target, (client) => generator.missing(client, mark?.holds), signal, { long: true });
}
