import type { Result } from '../contract/result.ts';
import { isOfWrites } from '../metrics/evidence-groups.ts';
import { hardlyWrites } from '../metrics/value.ts';
import { toolOf } from '../workloads/registry.ts';
import { checkById } from './validity/registry.ts';

/**
 * What the load of a run can move. What it cannot is not shown, and no doubt is raised about it: WAL of a load that only reads
 * is what the server writes on its own account.
 */
export interface Movable {
  writes: boolean;
  /** Whether it can move a metric, by the metric's name. */
  metric: (name: string) => boolean;
  /** Whether what it does can matter to a check, by the check's id. */
  check: (id: string) => boolean;
}

export function movableIn(result: Pick<Result, 'experiment' | 'trials'>): Movable {
  const writes = !onlyReads(result);
  return {
    writes,
    metric: (name) => writes || !isOfWrites({ name }),
    check: (id) => writes || !checkById(id)?.isOfWrites,
  };
}

/** As the tool says; where it does not know, as was measured. */
function onlyReads({ experiment, trials }: Pick<Result, 'experiment' | 'trials'>): boolean {
  const { workload } = experiment.definition;
  const finished = trials.filter(({ state }) => state === 'finished');
  const wasQuiet = finished.length > 0 && finished.every(({ measures }) => hardlyWrites(measures));
  return toolOf(workload).shape(workload).onlyReads ?? wasQuiet;
}
