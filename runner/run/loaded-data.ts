import { warningsOf } from '../contract/warnings.ts';
import path from 'node:path';
import type { Client } from '../postgres/client.ts';
import { UserError } from '../contract/errors.ts';
import { isSqlFile } from '../contract/experiment/variant.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { type Contents, contentsOf, requireSameContents, type LoadedServer } from '../postgres/contents.ts';
import {
  requireLoadedBy,
  isLoadedBy,
  type LoadMark,
  readLoadMark,
  removeLoadMark,
  writeLoadMark,
} from '../postgres/loaded-copy.ts';
import type { Target } from '../postgres/target.ts';
import { loadedWith } from '../workloads/loaded-with.ts';
import type { ActiveRun } from './run-shape.ts';
import type { Plan } from '../contract/plan.ts';
import type { ServerLoad } from '../contract/result.ts';
import { preparationOf, prepareServer } from './prepare.ts';
import { namesIn } from '../files/look.ts';
import { runFiles } from '../storage/run-files.ts';

/**
 * @throws {UserError} if a server does not hold all data of this experiment, or was loaded with other data than another
 * server
 */
export async function requireLoaded(running: ActiveRun): Promise<void> {
  const { plan, place, signal, tool } = running;
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    requireLoadedBy(mark, tool.name, loadedBy(running, server), target.server);
    const lacking = await missingFrom(running, target, signal, mark);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} does not have all of the loaded data; expected ${lacking.join(', ')}. Reload it.`,
      );
    }
  }
  requireEqualContents(running, await readMarks(running));
}

/**
 * Proves that servers hold the data that their snapshot should contain. A user's own snapshot has no load mark, so
 * pgduet compares it with what the user expects of it.
 *
 * @throws {UserError} if a server does not
 */
export async function requireRestored(running: ActiveRun): Promise<void> {
  const { plan, place, signal, tool, experiment } = running;
  const own = tool.restores(experiment.workload);
  if (own === null) return requireLoaded(running);
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    const lacking = await missingFrom(running, target, signal, isOurs(running, server, mark) ? mark : null);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} was restored from ${own.snapshot}, but its database ${own.database} does not have ${lacking.join(', ')}.`,
      );
    }
  }
}

/** Marks a server that was restored from a user's own snapshot as loaded. Other servers already have their mark. */
export async function markRestored(
  running: ActiveRun,
  server: Conditions,
  target: Target,
  signal: AbortSignal,
): Promise<void> {
  const { tool, experiment } = running;
  if (tool.restores(experiment.workload) === null) return;
  if (isOurs(running, server, await withConnection(target, readLoadMark, signal))) return;
  await withConnection(target, removeLoadMark, signal);
  await prepareAndMark(running, server, target, signal);
}

/**
 * Prepares the loaded data as its variant asks for, and marks the load as finished, with the contents of the database
 * before and after.
 *
 * @returns the SQL that was run, with its times
 */
export async function prepareAndMark(
  running: ActiveRun,
  server: Conditions,
  target: Target,
  signal: AbortSignal,
): Promise<NonNullable<ServerLoad['prepared']>> {
  const { generatorAt, plan, experiment, tool, programs, kept, now } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  const read = (): Promise<Contents> => withConnection(target, (client) => contentsOf(client), signal, { long: true });
  const contents = await read();
  const where = { programs, scriptFolder: kept.scriptFolder };
  const done = await prepareServer(experiment, server.variant, target, { ...where, now, signal });
  const prepared = done.length === 0 ? {} : { prepared: await read() };
  const work = async (client: Client): Promise<void> => {
    const holds = await generator.holds?.(client);
    const loaded = { tool: tool.name, loadedBy: loadedBy(running, server), contents, ...prepared };
    const finished = { ...loaded, finishedAt: now().toISOString() };
    await writeLoadMark(client, holds === undefined ? finished : { ...finished, holds });
  };
  await withConnection(target, work, signal, { long: true });
  return done;
}

/**
 * Compares the contents that the servers had right after they were loaded in the same way, and of those that were
 * prepared in the same way also what they had then. Trials change the contents later.
 *
 * @throws {UserError} if the contents of two of them differed
 */
export function requireEqualContents({ plan, tool, experiment }: ActiveRun, servers: readonly MarkedServer[]): void {
  const { drawnTables: drawn } = tool;
  const differIn = plan.differences.flatMap(({ property }) => (property === 'prepare' ? [] : [property]));
  const after = (step: 'contents' | 'prepared', among: readonly MarkedServer[]): LoadedServer[] =>
    among.flatMap(({ server, mark }) => {
      const contents = mark?.[step];
      return contents ? [{ server: serverName(server), contents }] : [];
    });
  requireSameContents(after('contents', servers), { drawn, differIn });
  const preparations = servers.map(({ server }) => JSON.stringify(preparationOf(experiment, server.variant)));
  for (const one of new Set(preparations)) {
    const alike = servers.filter((_, index) => preparations[index] === one);
    requireSameContents(after('prepared', alike), { drawn, done: 'prepared', differIn });
  }
}

/** A server with the mark of its load; null if it has none. */
export interface MarkedServer {
  server: Conditions;
  mark: LoadMark | null;
}

export async function readMarks({ plan, place, signal }: ActiveRun): Promise<MarkedServer[]> {
  const marked: MarkedServer[] = [];
  for (const server of serversOf(plan.variants, plan.replicas)) {
    marked.push({ server, mark: await withConnection(targetAt(place, server), readLoadMark, signal) });
  }
  return marked;
}

/** Whether the database holds all of the data of this experiment. */
export async function isWhole(
  running: ActiveRun,
  server: Conditions,
  target: Target,
  signal: AbortSignal,
): Promise<boolean> {
  const mark = await withConnection(target, readLoadMark, signal);
  return isOurs(running, server, mark) && (await missingFrom(running, target, signal, mark)).length === 0;
}

function isOurs(running: ActiveRun, server: Conditions, mark: LoadMark | null): boolean {
  return isLoadedBy(mark, running.tool.name, loadedBy(running, server));
}

function loadedBy({ tool, experiment, driver }: ActiveRun, { variant }: Conditions): unknown {
  const loaded = loadedWith(tool, experiment.workload, driver.tool.files);
  const prepare = preparationOf(experiment, variant);
  if (prepare.length === 0) return loaded;
  const sha256 = new Map(prepare.filter(isSqlFile).map((file) => [file, driver.tool.files[file]]));
  return { loaded, prepare, ...(sha256.size > 0 && { sha256: Object.fromEntries(sha256) }) };
}

/**
 * The data that a server does not have, each a phrase.
 *
 * @param mark of its load; null if it has none yet
 */
export async function missingFrom(
  { generatorAt, plan }: ActiveRun,
  target: Target,
  signal: AbortSignal,
  mark: LoadMark | null,
): Promise<string[]> {
  const generator = await generatorAt(plan.levels[0] ?? {});
  return withConnection(target, (client) => generator.missing(client, mark?.holds), signal, { long: true });
}

/**
 * Whether an earlier run of this driver has measured, and so changed the loaded data. A stack refuses a deploy that
 * needs other data, so any run of the experiment counts, whatever its profile.
 *
 * @param results folder of the experiment's runs
 */
export function wereUsedBefore(results: string): boolean {
  return namesIn(results).some((run) => namesIn(path.join(results, run, runFiles.trials)).length > 0);
}

/** The plan of a run on databases that an earlier run has used, with a warning that says so. */
export function planAfterAnother(plan: Plan): Plan {
  const warning = 'This run did not load the databases. It started with data left by an earlier run on the same stack.';
  return { ...plan, warnings: [...plan.warnings, ...warningsOf('databases-used', [warning])] };
}
