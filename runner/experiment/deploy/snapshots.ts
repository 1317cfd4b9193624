import type { Experiment } from '../../contract/experiment/schema.ts';

/** Whether a snapshot is one of a Multi-AZ cluster, as its ARN says. A name alone does not say it. */
export function isClusterSnapshot(snapshot: string): boolean {
  return snapshot.includes(':cluster-snapshot:');
}

/**
 * Why variants cannot be restored from the snapshot. By its name, RDS finds only a snapshot of the kind that it restores; an
 * ARN serves both kinds.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RestoreDBClusterFromSnapshot.html
 */
export function snapshotProblems({ data, variants }: Pick<Experiment, 'data' | 'variants'>): string[] {
  const { snapshot } = data;
  if (snapshot === undefined || snapshot.startsWith('arn:')) return [];
  const kinds = new Set(Object.values(variants).map(({ deployment }) => deployment === 'multi-az-cluster'));
  return kinds.size > 1
    ? [`data.snapshot is ${snapshot}: with both instances and Multi-AZ clusters, name the snapshot by its ARN`]
    : [];
}
