import type { DBInstance, RDSClient } from '@aws-sdk/client-rds';
import type { ObservedInstance } from '../aws/sources.ts';
import type { ServerBinding } from '../contract/binding.ts';
import { findCluster, findInstance } from './describe-database.ts';

/**
 * The instances of a server, as RDS names them now. For a cluster, the writer comes first, then the readers in the
 * order of their names.
 *
 * @throws {AwsCallError}
 */
export async function observedInstances(
  rds: RDSClient,
  { kind, identifier, expected }: ServerBinding,
): Promise<ObservedInstance[]> {
  const observed = (role: string, instance: DBInstance): ObservedInstance => ({
    role,
    identifier: instance.DBInstanceIdentifier ?? '',
    resourceId: instance.DbiResourceId ?? null,
    insights: instance.PerformanceInsightsEnabled ?? false,
    monitoringIntervalSeconds: instance.MonitoringInterval ?? 0,
    dedicatedLogVolume: expected.dedicatedLogVolume,
  });
  if (kind === 'instance') {
    const instance = await findInstance(rds, identifier);
    return instance ? [observed('only', instance)] : [];
  }
  const { DBClusterMembers: members = [] } = (await findCluster(rds, identifier)) ?? {};
  const inOrder = [...members].sort(
    (a, b) =>
      Number(b.IsClusterWriter ?? false) - Number(a.IsClusterWriter ?? false) ||
      ((a.DBInstanceIdentifier ?? '') < (b.DBInstanceIdentifier ?? '') ? -1 : 1),
  );
  const instances = await Promise.all(
    inOrder.map(({ DBInstanceIdentifier: member = '' }) => findInstance(rds, member)),
  );
  const writers = inOrder.filter(({ IsClusterWriter }) => IsClusterWriter === true).length;
  return instances.flatMap((instance, index) =>
    instance ? [observed(index < writers ? 'writer' : `reader${index - writers + 1}`, instance)] : [],
  );
}
