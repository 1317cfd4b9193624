import type { RuleProblem } from '../../contract/rule-problem.ts';
import { experimentProblems as problemsOfRun, runProblems } from '../pgbench/rules.ts';
import type { ExperimentAround } from '../tool.ts';
import type { DeclaredOwnData } from './schema.ts';

/** The reset step that runs files of the user's own. */
export const ownReset = 'own-reset';

/** Problems of a workload by itself. */
export function workloadProblems({ load, ...run }: Partial<DeclaredOwnData>): RuleProblem[] {
  return [
    ...runProblems(run),
    ...(load && load.reset === undefined && load.expectedResetSeconds !== undefined
      ? [{ path: ['load', 'expectedResetSeconds'], message: 'goes with load.reset, which names no files' }]
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
      return 'it runs the files of workload.load.reset, which names none';
    }
    return step === 'restore' && load && 'snapshot' in load && load.database === 'postgres'
      ? 'the database postgres cannot be replaced, since pgduet connects there to replace one; expected load.reset with own-reset'
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

/** Vacuum is left to the files of the user: after them it may be needed, or be part of what is measured. */
export function defaultReset({ load }: Partial<DeclaredOwnData>): readonly string[] {
  return [load?.reset === undefined ? 'restore' : ownReset, 'checkpoint'];
}
