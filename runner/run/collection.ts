import type { CollectedTrial, Collection, Collector, Findings } from '../collect/collector.ts';
import type { Measures } from '../contract/metric.ts';
import type { SharedConnection } from './shared-connection.ts';

/** The running sources of one trial. */
export interface Collections {
  /** To be called when the load has ended. */
  stop(): Promise<Findings[]>;
  /** To be called when every trial of the step has ended, with what was measured so far. */
  finish(found: Measures): Promise<Findings[]>;
}

/**
 * Starts the sources in reverse order. So the first one starts last and is stopped first, and sees least of what the others
 * do.
 */
export async function startCollections(
  collectors: readonly Collector[],
  trial: CollectedTrial,
  connection: SharedConnection,
): Promise<Collections> {
  const collections: Collection[] = [];
  for (const collector of [...collectors].reverse()) {
    const collection = await collector.start?.(trial);
    if (collection) collections.unshift(collection);
  }
  await connection.close();
  const gather = async (ask: (collection: Collection) => Promise<Findings> | undefined): Promise<Findings[]> => {
    try {
      const found: Findings[] = [];
      for (const collection of collections) found.push((await ask(collection)) ?? {});
      return found;
    } finally {
      await connection.close();
    }
  };
  return {
    async stop() {
      const found = await gather((collection) => collection.stop?.());
      return [...found, { measures: { 'collect.commits': connection.commits } }];
    },
    finish: (found) => gather((collection) => collection.finish?.(found)),
  };
}
