import type { Experiment } from '../../contract/experiment/schema.ts';
import { toolOf } from '../../workloads/registry.ts';

/** Whether the ARN of a snapshot says that it is of a Multi-AZ cluster. A name alone does not show this. */
export function isClusterSnapshot(snapshot: string): boolean {
  return snapshot.includes(':cluster-snapshot:');
}

/**
 * Why variants cannot be restored from the snapshot. By name, RDS finds only snapshots of the kind that it restores; an
 * ARN works for both kinds.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBClusterFromSnapshot.html
 */
export function snapshotProblems(experiment: Pick<Experiment, 'data' | 'variants' | 'workload'>): string[] {
  const snapshot = restoredSnapshot(experiment);
  if (snapshot === undefined || snapshot.startsWith('arn:')) return [];
  const kinds = new Set(Object.values(experiment.variants).map(({ deployment }) => deployment === 'multi-az-cluster'));
  const key = experiment.data.snapshot === undefined ? 'workload.load.snapshot' : 'data.snapshot';
  return kinds.size > 1
    ? [`${key} is ${snapshot}: with both instances and Multi-AZ clusters, name the snapshot by its ARN`]
    : [];
}

/**
 * The snapshot that every variant is restored from: one that pgduet kept of the data it loaded, or one of the user's
 * own database; undefined if the variants are loaded. An experiment for this machine may name one as well, but it has
 * no effect.
 */
export function restoredSnapshot({
  data,
  workload,
}: Pick<Experiment, 'workload'> & Partial<Pick<Experiment, 'data'>>): string | undefined {
  return toolOf(workload).restores?.(workload)?.snapshot ?? data?.snapshot;
}
