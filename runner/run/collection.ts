import type { CollectedTrial, Collection, Collector, Findings, MeasuredPart } from '../collect/collector.ts';
import type { Measures } from '../contract/metric.ts';
import type { SharedConnection } from './shared-connection.ts';

/** The running sources of one trial. */
export interface Collections {
  /** To be called when the load has ended. */
  stop(part: MeasuredPart): Promise<Findings[]>;
  /** To be called when every trial of the step has ended, with what was measured so far. */
  finish(part: MeasuredPart, found: Measures): Promise<Findings[]>;
  /** Stops what still goes on, because the trial has failed: its findings count for nothing. It never throws. */
  abandon(): Promise<void>;
}

/**
 * Starts the sources in reverse order. So the first one starts last and is stopped first, and sees least of what the others
 * do. If one cannot start, those that have started are stopped.
 */
export async function startCollections(
  collectors: readonly Collector[],
  trial: CollectedTrial,
  connection: SharedConnection,
): Promise<Collections> {
  const going: Collection[] = [];
  let firstLookAt: number | null = null;
  const abandon = async (): Promise<void> => {
    // A server that hangs must not hold up those that would ask it at their end.
    await connection.end();
    const none = { startedAt: trial.now(), endedAt: trial.now() };
    await Promise.allSettled(going.splice(0).map(async (one) => (one.abandon ? one.abandon() : one.stop?.(none))));
  };
  try {
    for (const collector of [...collectors].reverse()) {
      const collection = await collector.start?.(trial);
      if (!collection) continue;
      firstLookAt ??= Date.now();
      going.unshift(collection);
    }
  } catch (error) {
    await abandon();
    throw error;
  }
  const collections = [...going];
  await connection.close();
  return {
    async stop(part) {
      const found: Findings[] = [];
      let lastLookAt = Date.now();
      for (let next = going.shift(); next; next = going.shift()) {
        lastLookAt = Date.now();
        found.push((await next.stop?.(part)) ?? {});
      }
      await connection.close();
      const window = firstLookAt === null ? null : (lastLookAt - firstLookAt) / 1000;
      return [...found, { measures: { 'collect.commits': connection.commits, 'collect.window': window } }];
    },
    async finish(part, measured) {
      const found: Findings[] = [];
      for (const collection of collections) found.push((await collection.finish?.(part, measured)) ?? {});
      await connection.close();
      return found;
    },
    abandon,
  };
}
