import type { TouchStep } from '../contract/plan.ts';
import { serverName, serversOf } from '../contract/server.ts';
import { targetAt } from '../places/place.ts';
import { allOrNone } from '../postgres/all-or-none.ts';
import { keepLoadedCopy } from '../postgres/loaded-copy.ts';
import { readDatabase } from '../postgres/touch.ts';
import { carryOutAndSave } from './carry-out-step.ts';
import type { Running } from './execution.ts';
import { demandAlike, demandRestored, markRestored } from './loaded-data.ts';
import { withTries } from './retry.ts';

/**
 * Proves that servers which were restored from a snapshot hold the data of this experiment, and reads all of it once. Keeps
 * how much that was and how long it took: the cost of restoring instead of loading.
 */
export async function touch(running: Running, step: TouchStep): Promise<void> {
  const { plan, place, report, now, signal } = running;
  await carryOutAndSave(running, step, async (found) => {
    await place.putUnderTest([], signal);
    await demandRestored(running);
    const touched = (found.touched = new Array<{ server: string; bytes: number; seconds: number }>());
    await allOrNone(serversOf(step.variants, plan.replicas), async (conditions, ended) => {
      const target = targetAt(place, conditions);
      const either = AbortSignal.any([signal, ended, target.failed]);
      await withTries(running, `Touching ${target.server}`, either, async () => {
        const start = now().getTime();
        const { bytes } = await readDatabase(target, {
          into: 'nothing',
          signal: either,
          onProgress: (done) => report({ kind: 'loading', step: 'touch', conditions, done }),
        });
        const seconds = (now().getTime() - start) / 1000;
        touched.push({ server: serverName(conditions), bytes, seconds });
        report({ kind: 'touched', conditions, bytes, seconds });
      });
      await markRestored(running, target, either);
      // The snapshot may hold no copy, or one of other data.
      if (step.keepCopy) await keepLoadedCopy(target, either);
    });
    await demandAlike(running);
  });
}
