import type { GeneratorOptions, LoadGenerator } from '../../tool.ts';
import type { PgbenchWorkload } from '../schema.ts';
import { contentsOf } from './contents.ts';
import { loadOwnData, missingFromOwnData, resetOwnData } from './load.ts';
import type { OwnData } from './schema.ts';

/** What is different where the data is the user's own, and not pgbench's tables. The load itself is put on in the same way. */
export function ownDataGenerator(
  own: OwnData,
  options: GeneratorOptions<PgbenchWorkload>,
): Pick<LoadGenerator, 'load' | 'holds' | 'missing'> & Required<Pick<LoadGenerator, 'reset'>> {
  return {
    load: (target, request) => loadOwnData(target, own, options, request),
    holds: contentsOf,
    missing: (client, held) => missingFromOwnData(client, own, held),
    reset: (target, _, { signal }) => resetOwnData(target, own, options, signal),
  };
}
