import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { Level } from '../../contract/trial.ts';

/** What any tool that runs pgbench may declare as a list. */
interface Declared {
  clients: number | number[];
}
type AtLevel<W extends Declared> = Omit<W, 'clients'> & { clients: number };

export function clientsAxis({ clients }: Declared): Record<string, readonly number[]> {
  return Array.isArray(clients) ? { clients } : {};
}

export function atClients<W extends Declared>(
  workload: W,
  { clients = [workload.clients].flat()[0] }: Level,
): AtLevel<W> {
  return { ...workload, clients: Number(clients) };
}

/** The workload with the first of several values. It shows everything that is the same at every level. */
export function atFirstLevel<W extends Declared>(workload: W): AtLevel<W> {
  return atClients(workload, {});
}

/** Problems of the numbers of clients. */
export function clientsProblems({ threads = 1, clients }: Partial<Declared & { threads: number }>): RuleProblem[] {
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
