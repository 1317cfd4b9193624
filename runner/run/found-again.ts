import { UserError } from '../contract/errors.ts';
import type { MeasureStep } from '../contract/plan.ts';
import { serverName, serversOf } from '../contract/server.ts';
import { type PlacedTarget, targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { demandSameContents, shapeOf } from '../postgres/contents.ts';
import { resetValues } from '../postgres/reset-values.ts';
import type { Running } from './execution.ts';

/** These say which role a server has, and not how it works. */
const ofItsRole = new Set(['in_hot_standby', 'primary_conninfo', 'primary_slot_name']);

/** Asks all servers for the settings that each trial is to find again. */
export async function noteSettings({
  plan,
  place,
  signal,
  foundAgain: { settings },
}: Pick<Running, 'plan' | 'place' | 'signal' | 'foundAgain'>): Promise<void> {
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    settings.set(serverName(server), await withConnection(target, (client) => resetValues(client), signal));
  }
}

/**
 * Before a warm-up: whether the server still has the settings that the run tells of it, and the data is still defined alike on all
 * servers. A reset, a restart or somebody else may have changed them.
 *
 * @throws {UserError} with what changed
 */
export async function demandFoundAgain(
  { foundAgain, tool }: Pick<Running, 'foundAgain' | 'tool'>,
  target: PlacedTarget,
  { reset }: Pick<MeasureStep, 'reset'>,
  signal: AbortSignal,
): Promise<void> {
  // Statements of ours leave everything as it is defined.
  const isByFiles = reset.some((step) => tool.resetSteps[step]?.statements === null);
  const [now, contents] = await withConnection(
    target,
    async (client) => [await resetValues(client), isByFiles ? await shapeOf(client) : null] as const,
    signal,
  );
  const changed = changesBetween(foundAgain.settings.get(target.server) ?? now, now);
  const words = Object.entries(changed)
    .filter(([name]) => !ofItsRole.has(name))
    .map(([name, [before, after]]) => `${name} was ${before} when everything was loaded, and is ${after} now`);
  if (words.length > 0) {
    throw new UserError(
      `${target.server}: ${words.join('; ')}. What the run tells of its servers would be wrong. Let the experiment set it (engine.parameters) or what loads the data, and no reset, script or person.`,
    );
  }
  if (contents === null) return;
  const one = { server: target.server, contents };
  foundAgain.shape ??= one;
  demandSameContents([foundAgain.shape, one], [], 'reset');
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
