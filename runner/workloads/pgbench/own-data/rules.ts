import type { RuleProblem } from '../../../contract/rule-problem.ts';
import type { DeclaredWorkload } from '../schema.ts';
import { isOwnData } from './schema.ts';

/** The reset step that runs files of the user's own. */
export const ownReset = 'own-reset';

/** Problems of a workload that are about whose data it loads. */
export function dataProblems(workload: Partial<DeclaredWorkload>): RuleProblem[] {
  const { load, scale, scripts = [] } = workload;
  // It has problems of its own.
  if (load === undefined) return [];
  if (!isOwnData(load)) {
    return 'scale' in workload && scale === undefined
      ? [
          {
            path: ['scale'],
            showValue: false,
            message:
              'missing; expected the scale of pgbench’s tables, such as 100, or data of your own in workload.load',
          },
        ]
      : [];
  }
  return [
    ...(scale === undefined
      ? []
      : [
          {
            path: ['scale'],
            message: `own data has none; leave it out. Scripts that read :scale get it by variables: { scale: ${scale} }`,
          },
        ]),
    ...scripts.flatMap((script, index) =>
      'builtin' in script
        ? [
            {
              path: ['scripts', index],
              message: `${script.builtin} works on pgbench’s own tables; own data needs scripts of your own, such as scripts: [{ file: new-order.sql }]`,
            },
          ]
        : [],
    ),
    ...(load.reset === undefined && load.expectedResetSeconds !== undefined
      ? [{ path: ['load', 'expectedResetSeconds'], message: 'goes with load.reset, which names no files' }]
      : []),
  ];
}

/** Why a reset step cannot be done to this data; null if it can. */
export function refusesReset({ load }: Partial<DeclaredWorkload>, step: string): string | null {
  if (load === undefined) return null;
  const isOwn = isOwnData(load);
  if (step === 'restore') {
    return isOwn && 'snapshot' in load && load.database === 'postgres'
      ? 'the database postgres cannot be replaced, since pgduet connects there to replace one; expected load.reset with own-reset'
      : null;
  }
  if (step === 'vacuum' || step === 'checkpoint') return null;
  if (step === ownReset) {
    return isOwn && load.reset !== undefined ? null : 'it runs the files of workload.load.reset, which names none';
  }
  return isOwn ? 'it is for pgbench’s own tables, and workload.load is data of your own' : null;
}

export function defaultReset({ load = {} }: { load?: object }): readonly string[] {
  if (!isOwnData(load)) return ['truncate-history', 'vacuum', 'checkpoint'];
  // Vacuum is left to the files of the user: after them it may be needed, or be part of what is measured.
  return [load.reset === undefined ? 'restore' : ownReset, 'checkpoint'];
}
