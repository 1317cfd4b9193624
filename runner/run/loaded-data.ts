import type { Client } from 'pg';
import { UserError } from '../contract/errors.ts';
import { serversOf } from '../contract/server.ts';
import { targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { contentsOf, demandSameContents, type LoadedServer } from '../postgres/contents.ts';
import {
  demandLoadedBy,
  isLoadedBy,
  type LoadMark,
  readLoadMark,
  removeLoadMark,
  writeLoadMark,
} from '../postgres/load-mark.ts';
import type { Target } from '../postgres/target.ts';
import { loadedWith } from '../workloads/loaded-with.ts';
import type { Running } from './execution.ts';

/** @throws {UserError} if a server does not hold the data of this experiment, all of it, or was loaded with other data than another */
export async function demandLoaded(running: Running): Promise<void> {
  const { plan, place, signal, tool } = running;
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    demandLoadedBy(mark, tool.name, loadedBy(running), target.server);
    const lacking = await missingFrom(running, target, signal, mark);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} does not hold all that was loaded: it lacks ${lacking.join(', ')}. Load it again.`,
      );
    }
  }
  await demandAlike(running);
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
    const lacking = await missingFrom(running, target, signal, isOurs(running, mark) ? mark : null);
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
  await markLoaded(running, target, signal);
}

/** Says that the load has finished, with what there is then. */
export async function markLoaded(running: Running, target: Target, signal: AbortSignal): Promise<void> {
  const { generatorAt, plan, tool, now } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  const work = async (client: Client): Promise<void> => {
    const holds = await generator.holds?.(client);
    const contents = await contentsOf(client);
    const finished = { tool: tool.name, loadedBy: loadedBy(running), contents, finishedAt: now().toISOString() };
    await writeLoadMark(client, holds === undefined ? finished : { ...finished, holds });
  };
  await withConnection(target, work, signal, { long: true });
}

/**
 * Compares what the servers held right after they were loaded in the same way: trials change it.
 *
 * @throws {UserError} if two of them did not hold the same
 */
export async function demandAlike(running: Running): Promise<void> {
  demandSameContents(await readLoaded(running), running.tool.drawnTables);
}

/** What each server held right after its load, by its mark. */
export async function readLoaded({ plan, place, signal }: Running): Promise<LoadedServer[]> {
  const loaded: LoadedServer[] = [];
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const contents = (await withConnection(target, readLoadMark, signal))?.contents;
    // Older marks have none.
    if (contents) loaded.push({ server: target.server, contents });
  }
  return loaded;
}

/** Whether the database holds the data of this experiment, and all of it. */
export async function isWhole(running: Running, target: Target, signal: AbortSignal): Promise<boolean> {
  const mark = await withConnection(target, readLoadMark, signal);
  return isOurs(running, mark) && (await missingFrom(running, target, signal, mark)).length === 0;
}

function isOurs(running: Running, mark: LoadMark | null): boolean {
  return isLoadedBy(mark, running.tool.name, loadedBy(running));
}

function loadedBy({ tool, experiment, driver }: Running): unknown {
  return loadedWith(tool, experiment.workload, driver.tool.files);
}

/**
 * What of the data is not on a server, each a phrase.
 *
 * @param mark of its load; null if it has none yet
 */
export async function missingFrom(
  { generatorAt, plan }: Running,
  target: Target,
  signal: AbortSignal,
  mark: LoadMark | null,
): Promise<string[]> {
  const generator = await generatorAt(plan.levels[0] ?? {});
  return withConnection(target, (client) => generator.missing(client, mark?.holds), signal, { long: true });
}
