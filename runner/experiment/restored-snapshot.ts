import type { Experiment } from '../contract/experiment/schema.ts';
import { toolOf } from '../workloads/registry.ts';

/**
 * The snapshot that every variant is restored from: one that pgduet has kept of what it loaded, or one of the user's own
 * database; undefined if the variants are loaded. It may be said in an experiment of this machine, too, where it does nothing.
 */
export function restoredSnapshot({
  data,
  workload,
}: Pick<Experiment, 'workload'> & Partial<Pick<Experiment, 'data'>>): string | undefined {
  return toolOf(workload).restores?.(workload)?.snapshot ?? data?.snapshot;
}
