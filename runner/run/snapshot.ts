import { UserError } from '../contract/errors.ts';
import type { SnapshotStep } from '../contract/plan.ts';
import { serversOf } from '../contract/server.ts';
import { targetAt } from '../places/place.ts';
import { carryOutAndSave } from './carry-out-step.ts';
import type { Running } from './execution.ts';

/** Keeps a snapshot of the loaded data, of one server: those of all variants hold the same. */
export async function snapshot(running: Running, step: SnapshotStep): Promise<void> {
  const { place, plan, report, signal, startedAt } = running;
  await carryOutAndSave(running, step, async (found) => {
    const [server] = serversOf(step.variants, plan.replicas);
    if (!server) throw new Error('a snapshot of no variant');
    if (!place.keepSnapshot) throw new UserError('data.keep: only the data of deployed variants can be kept.');
    await place.putUnderTest([], signal);
    found.snapshot = await place.keepSnapshot(targetAt(place, server).server, {
      startedAt,
      signal,
      onProgress: (done) => report({ kind: 'loading', step: 'snapshot', conditions: server, done }),
    });
    await place.putUnderTest([], signal);
    const { name, deleteCommand } = found.snapshot;
    report({
      kind: 'warning',
      text: `The snapshot ${name} of the loaded data is kept, and billed until it is deleted: ${deleteCommand}`,
    });
  });
}
