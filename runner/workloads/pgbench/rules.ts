import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { DeclaredWorkload } from './schema.ts';

/** Problems of a workload: what pgbench would refuse, or what contradicts itself. */
export function workloadProblems(workload: Partial<DeclaredWorkload>): RuleProblem[] {
  const { transactions, durationSeconds, scripts = [] } = workload;
  const names = scripts.map((script) => ('builtin' in script ? script.builtin : script.file));
  return [
    ...levelProblems(workload),
    ...('transactions' in workload &&
    'durationSeconds' in workload &&
    transactions === undefined &&
    durationSeconds === undefined
      ? [
          {
            path: [],
            showValue: false,
            message: 'says no length of a trial; give transactions (of each client) or durationSeconds',
          },
        ]
      : []),
    ...(transactions !== undefined && durationSeconds !== undefined
      ? [{ path: ['transactions'], message: 'the length is said twice; keep either this or durationSeconds' }]
      : []),
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index
        ? [{ path: ['scripts', index], message: `${name} is listed twice; give it a weight instead` }]
        : [],
    ),
  ];
}

/** Problems of the numbers of clients, of any tool that runs pgbench. */
export function levelProblems({
  threads = 1,
  clients,
}: Partial<Pick<DeclaredWorkload, 'threads' | 'clients'>>): RuleProblem[] {
  const levels = clients === undefined ? [] : [clients].flat();
  const fewest = Math.min(...levels);
  return [
    ...(threads > fewest
      ? [{ path: ['threads'], message: `more threads than clients; expected at most ${fewest}` }]
      : []),
    ...levels.flatMap((value, index) =>
      levels.indexOf(value) < index ? [{ path: ['clients', index], message: `${value} is listed twice` }] : [],
    ),
  ];
}
