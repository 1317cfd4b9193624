import { type PgbenchRunner, pgbenchRunner } from '../pgbench/generator.ts';
import type { GeneratorOptions, LoadGenerator } from '../tool.ts';
import { contentsOf } from './contents.ts';
import { loadOwnData, missingFromOwnData, resetOwnData } from './load.ts';
import type { OwnDataWorkload } from './schema.ts';

/** Loads data of the user's own. The load itself is put on as on pgbench's tables. */
export function ownDataGenerator(options: GeneratorOptions<OwnDataWorkload>): LoadGenerator & PgbenchRunner {
  const { load } = options.workload;
  return {
    ...pgbenchRunner(options),
    load: (target, request) => loadOwnData(target, load, options, request),
    holds: contentsOf,
    missing: (client, held) => missingFromOwnData(client, load, held),
    reset: (target, _, { signal }) => resetOwnData(target, load, options, signal),
  };
}
