import path from 'node:path';
import type { Client } from 'pg';
import { UserError } from '../contract/errors.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { type PlacedTarget, targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { contentsOf, requireSameContents, type LoadedServer, shapeOf } from '../postgres/contents.ts';
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
import type { ActiveRun } from './execution.ts';
import type { MeasureStep, Plan } from '../contract/plan.ts';
import { resetValues } from '../postgres/reset-steps.ts';
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
    requireLoadedBy(mark, tool.name, loadedBy(running), target.server);
    const lacking = await missingFrom(running, target, signal, mark);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} does not hold all of the loaded data: it does not have ${lacking.join(', ')}. Load it again.`,
      );
    }
  }
  await requireEqualContents(running);
}

/**
 * Proves that servers hold the data that their snapshot should contain. A user's own snapshot has no load mark, so
 * pgduet compares it with what the user expects of it.
 *
 * @throws {UserError} if a server does not
 */
export async function requireRestored(running: ActiveRun): Promise<void> {
  const { plan, place, signal, tool, experiment } = running;
  const own = tool.restores?.(experiment.workload) ?? null;
  if (own === null) return requireLoaded(running);
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const mark = await withConnection(target, readLoadMark, signal);
    const lacking = await missingFrom(running, target, signal, isOurs(running, mark) ? mark : null);
    if (lacking.length > 0) {
      throw new UserError(
        `${target.server} was restored from ${own.snapshot}, but its database ${own.database} does not have ${lacking.join(', ')}.`,
      );
    }
  }
}

/** Marks a server that was restored from a user's own snapshot as loaded. Other servers already have their mark. */
export async function markRestored(running: ActiveRun, target: Target, signal: AbortSignal): Promise<void> {
  const { tool, experiment } = running;
  if ((tool.restores?.(experiment.workload) ?? null) === null) return;
  if (isOurs(running, await withConnection(target, readLoadMark, signal))) return;
  await withConnection(target, removeLoadMark, signal);
  await markLoaded(running, target, signal);
}

/** Marks the load as finished, with the contents of the database at that moment. */
export async function markLoaded(running: ActiveRun, target: Target, signal: AbortSignal): Promise<void> {
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
 * Compares the contents that the servers had right after they were loaded in the same way. Trials change the contents
 * later.
 *
 * @throws {UserError} if the contents of two of them differed
 */
export async function requireEqualContents(running: ActiveRun): Promise<void> {
  requireSameContents(await readLoaded(running), running.tool.drawnTables);
}

/** The contents of each server right after its load, from its mark. */
export async function readLoaded({ plan, place, signal }: ActiveRun): Promise<LoadedServer[]> {
  const loaded: LoadedServer[] = [];
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    const contents = (await withConnection(target, readLoadMark, signal))?.contents;
    // Older marks have no contents.
    if (contents) loaded.push({ server: target.server, contents });
  }
  return loaded;
}

/** Whether the database holds all of the data of this experiment. */
export async function isWhole(running: ActiveRun, target: Target, signal: AbortSignal): Promise<boolean> {
  const mark = await withConnection(target, readLoadMark, signal);
  return isOurs(running, mark) && (await missingFrom(running, target, signal, mark)).length === 0;
}

function isOurs(running: ActiveRun, mark: LoadMark | null): boolean {
  return isLoadedBy(mark, running.tool.name, loadedBy(running));
}

function loadedBy({ tool, experiment, driver }: ActiveRun): unknown {
  return loadedWith(tool, experiment.workload, driver.tool.files);
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

/** Settings that depend on the role of a server, and do not say how it works. */
const ofItsRole = new Set(['in_hot_standby', 'primary_conninfo', 'primary_slot_name']);

/**
 * Reads from servers the settings that each trial must find again, once for each.
 *
 * @param servers to read them from. @default all
 */
export async function noteSettings(
  { plan, place, signal, foundAgain: { settings } }: Pick<ActiveRun, 'plan' | 'place' | 'signal' | 'foundAgain'>,
  servers: readonly Conditions[] = serversOf(plan.variants, plan.replicas),
): Promise<void> {
  for (const server of servers) {
    if (settings.has(serverName(server))) continue;
    const target = targetAt(place, server);
    settings.set(serverName(server), await withConnection(target, (client) => resetValues(client), signal));
  }
}

/**
 * Before a warm-up, checks that the server still has the settings that the run reports for it, and that the data is
 * still defined alike on all servers. A reset, a restart or somebody else may have changed them.
 *
 * @throws {UserError} that names the changes
 */
export async function requireFoundAgain(
  { foundAgain, tool }: Pick<ActiveRun, 'foundAgain' | 'tool'>,
  target: PlacedTarget,
  { reset }: Pick<MeasureStep, 'reset'>,
  signal: AbortSignal,
): Promise<void> {
  // Our own statements do not change definitions.
  const isByFiles = reset.some((step) => tool.resetSteps[step]?.statements === null);
  const [now, contents] = await withConnection(
    target,
    async (client) => [await resetValues(client), isByFiles ? await shapeOf(client) : null] as const,
    signal,
  );
  const changed = changesBetween(foundAgain.settings.get(target.server) ?? now, now);
  const words = Object.entries(changed)
    .filter(([name]) => !ofItsRole.has(name))
    .map(([name, [before, after]]) => `${name} was ${before} after loading, and is ${after} now`);
  if (words.length > 0) {
    throw new UserError(
      `${target.server}: ${words.join('; ')}. The run would report wrong settings for its servers. Set it in the experiment (engine.parameters) or while loading the data, but not in a reset, in a script or by hand.`,
    );
  }
  if (contents === null) return;
  const one = { server: target.server, contents };
  foundAgain.shape ??= one;
  requireSameContents([foundAgain.shape, one], [], 'reset');
}

/** Settings that changed, with the values before and after. */
export function changesBetween(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, [before: string, after: string]> {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) => {
      const had = before[name];
      return had === undefined || had === value ? [] : [[name, [had, value] satisfies [string, string]]];
    }),
  );
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
  const warning =
    'The databases were not loaded for this run. The run began with the data that an earlier run on the same stack had left.';
  return { ...plan, warnings: [...plan.warnings, warning] };
}
