import type { RuleProblem } from '../../contract/check.ts';
import { experimentProblems as problemsOfRun, runProblems } from '../pgbench/run-definition.ts';
import type { ExperimentAround, WorkloadDurations } from '../tool.ts';
import { type DeclaredOwnData, type OwnData, ownDataInWords } from './schema.ts';

/** The reset step that runs the user's own files. */
export const ownReset = 'own-reset';

/** Problems of a workload by itself. */
export function workloadProblems({ load, ...run }: Partial<DeclaredOwnData>): RuleProblem[] {
  return [
    ...runProblems(run),
    ...(load && load.reset === undefined && load.expectedResetSeconds !== undefined
      ? [
          {
            path: ['load', 'expectedResetSeconds'],
            message: 'applies only to the files of load.reset, which is missing; add it, or leave this out',
          },
        ]
      : []),
  ];
}

/** Problems of a workload together with how databases are reset, and with what is collected. */
export function experimentProblems(
  { load, ...run }: Partial<DeclaredOwnData>,
  around: Pick<ExperimentAround, 'collect' | 'reset'>,
): RuleProblem[] {
  const refused = (step: string): string | null => {
    if (step === ownReset && load && load.reset === undefined) {
      return 'it runs the files of workload.load.reset, which is missing; name them there';
    }
    return step === 'restore' && load && 'snapshot' in load && load.database === 'postgres'
      ? 'restore cannot replace the database postgres, because pgduet connects to it to replace a database; expected load.reset with own-reset'
      : null;
  };
  return [
    ...problemsOfRun(run, around),
    ...(around.reset ?? []).flatMap((step, index) => {
      const message = refused(step);
      return message === null ? [] : [{ path: ['protocol', 'reset', index], message }];
    }),
  ];
}

/** Vacuum is left to the user's files. A trial may need it after them, or may measure what happens without it. */
export function defaultReset({ load }: Partial<DeclaredOwnData>): readonly string[] {
  return [load?.reset === undefined ? 'restore' : ownReset, 'checkpoint'];
}

/** As in pgbench's tables, with their indexes. It converts the size of own data, in bytes, for speeds in rows. */
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
        ? `no expected duration of steps that depend on the size of ${ownDataInWords(load)}: workload.load.sizeGib is not given`
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
