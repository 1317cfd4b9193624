import { UserError } from '../contract/errors.ts';
import type { MeasureStep } from '../contract/plan.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { type PlacedTarget, targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { requireSameContents, shapeOf } from '../postgres/contents.ts';
import { resetValues } from '../postgres/reset-steps.ts';
import type { ActiveRun } from './run-shape.ts';
import { preparationOf } from './prepare.ts';

/** Settings that depend on the role of a server, and do not say how it works. */
const roleSettings = new Set(['in_hot_standby', 'primary_conninfo', 'primary_slot_name']);

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
 * still defined alike on all servers that were prepared alike. A reset, a restart or somebody else may have changed them.
 *
 * @throws {UserError} that names the changes
 */
export async function requireFoundAgain(
  { foundAgain, tool, experiment }: Pick<ActiveRun, 'foundAgain' | 'tool' | 'experiment'>,
  { variant }: Conditions,
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
    .filter(([name]) => !roleSettings.has(name))
    .map(([name, [before, after]]) => `${name} was ${before} after loading, and is ${after} now`);
  if (words.length > 0) {
    throw new UserError(
      `${target.server}: ${words.join('; ')}. The report would show wrong settings. Set it in the experiment (engine.parameters) or while loading the data, but not in a reset, in a script or manually.`,
      { failure: 'server-changed' },
    );
  }
  if (contents === null) return;
  const one = { server: target.server, contents };
  const prepared = JSON.stringify(preparationOf(experiment, variant));
  const first = foundAgain.shapes.get(prepared) ?? one;
  foundAgain.shapes.set(prepared, first);
  requireSameContents([first, one], { done: 'reset' });
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
