import type { CollectedTrial, Collection, Collector, Findings } from '../collect/collector.ts';
import type { SharedConnection } from './shared-connection.ts';

/** The sources of one trial at work. */
export interface Collections {
  /** The load has ended. */
  stop(): Promise<Findings[]>;
  /** Every trial of the step has ended. */
  finish(): Promise<Findings[]>;
}

/** Starts the sources, the first one last: it sees the least of what the others do. */
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
    stop: () => gather((collection) => collection.stop?.()),
    finish: () => gather((collection) => collection.finish?.()),
  };
}
