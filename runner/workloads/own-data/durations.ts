import type { WorkloadDurations } from '../tool.ts';
import { ownReset } from './rules.ts';
import { type OwnData, ownDataInWords } from './schema.ts';

/** As in pgbench's tables, with their indexes. Speeds are in rows, sizes of own data in bytes. */
const bytesPerRow = 150;

type OwnDurations = Omit<WorkloadDurations, 'trialSeconds'>;

/** How long the data takes, as far as the user declares its size. */
export function ownDurations(load: OwnData): OwnDurations {
  const bytes = load.sizeGib === undefined ? null : load.sizeGib * 2 ** 30;
  return {
    loadedRows: { value: 200_000, source: 'a guess: 30 MB/s' },
    rows: bytes === null ? null : bytes / bytesPerRow,
    bytes,
    isExact: false,
    resetSeconds: load.reset === undefined ? {} : { [ownReset]: load.expectedResetSeconds ?? null },
    assumptions: [
      load.sizeGib === undefined
        ? `no expected duration of what depends on the size of ${ownDataInWords(load)}: workload.load.sizeGib is not given`
        : `${load.sizeGib.toLocaleString('en')} GiB of own data (declared as workload.load.sizeGib)`,
      ...(load.reset === undefined
        ? []
        : [
            load.expectedResetSeconds === undefined
              ? `no expected duration of ${ownReset}: workload.load.expectedResetSeconds is not given`
              : `${load.expectedResetSeconds.toLocaleString('en')} seconds for ${ownReset} (workload.load.expectedResetSeconds)`,
          ]),
    ],
  };
}
