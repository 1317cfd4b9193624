import path from 'node:path';
import { serversOf } from '../contract/server.ts';
import { makeFolder, removeTree } from '../files/change.ts';
import { targetAt } from '../places/place.ts';
import { withCauseInParameter } from './cause-in-parameter.ts';
import type { Running } from './execution.ts';
import { resetTarget } from './reset-target.ts';

/**
 * Tries on each server what would fail every trial, one after another, if it were wrong: the reset by files of the user, and
 * each script. What it changes, warm-up and reset change in the same way.
 *
 * @throws {UserError} with the file and what the server says
 */
export async function tryOut(running: Running): Promise<void> {
  const { plan, place, tool, store, signal, generatorAt, experiment } = running;
  const generator = await generatorAt(plan.levels[0] ?? {});
  if (!generator.tryOut) return;
  const written = experiment.protocol.reset.filter((step) => tool.resetSteps[step]?.statements === null);
  const folder = path.join(store.folder, 'try-out');
  await place.putUnderTest([], signal);
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const target = targetAt(place, server);
    running.report({ kind: 'trying-out', conditions: server });
    const either = AbortSignal.any([signal, target.failed]);
    await withCauseInParameter(target, async () => {
      await resetTarget(running, target, written, either);
      makeFolder(folder);
      try {
        await generator.tryOut?.(target, { folder, signal: either });
      } finally {
        removeTree(folder);
      }
    });
  }
}
