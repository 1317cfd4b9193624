import type { RuleProblem } from '../../contract/check.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { deploymentsOf } from '../deployments/registry.ts';
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
export function snapshotProblems({
  data,
  variants,
  workload,
}: Partial<Pick<Experiment, 'data' | 'workload'>> & {
  variants: Readonly<Record<string, Partial<Variant>>>;
}): RuleProblem[] {
  const snapshot = workload && restoredSnapshot({ workload, data });
  if (snapshot === undefined || snapshot.startsWith('arn:')) return [];
  if (new Set(deploymentsOf(variants).map(({ kind }) => kind)).size < 2) return [];
  return [
    {
      rule: 'snapshot-arn',
      path: data?.snapshot === undefined ? ['workload', 'load', 'snapshot'] : ['data', 'snapshot'],
      code: 'not-deployable',
      message: `is ${snapshot}: with both instances and Multi-AZ clusters, name the snapshot by its ARN`,
    },
  ];
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
  return toolOf(workload).restores(workload)?.snapshot ?? data?.snapshot;
}
