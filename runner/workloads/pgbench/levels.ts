import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { Level } from '../../contract/trial.ts';
import { axesOf, listedTwice, single, type Single } from '../lists.ts';

/** What any tool that runs pgbench may declare as a list. */
const listed = ['clients', 'rate'] as const;
interface Declared {
  clients: number | number[];
  rate?: number | number[] | undefined;
}
export type AtLevel<W extends Declared> = Single<W, (typeof listed)[number]>;

export function loadAxes(workload: Declared): Record<string, readonly number[]> {
  return axesOf(workload, listed);
}

/** The workload at a level, or with the first of several values. */
export function atLevel<W extends Declared>(workload: W, level: Level = {}): AtLevel<W> {
  return single<W, (typeof listed)[number]>(workload, listed, level);
}

/** Problems of clients, threads and rates. */
export function loadProblems(workload: Partial<Declared & { threads: number }>): RuleProblem[] {
  const { threads = 1, clients } = workload;
  const fewest = clients === undefined ? Infinity : Math.min(...[clients].flat());
  return [
    ...(threads > fewest
      ? [{ path: ['threads'], message: `more threads than clients; expected at most ${fewest}` }]
      : []),
    ...listedTwice<Declared>(workload, listed),
  ];
}
