import { type DBCluster, type DBInstance, DescribeDBClustersCommand, type RDSClient } from '@aws-sdk/client-rds';
import { AwsCallError, callAws } from '../../aws/call.ts';
import { type DatabaseState, pendingChanges } from './database-state.ts';
import { findInstance, windowsOf } from './describe-instance.ts';

/** The state of a Multi-AZ DB cluster, its writer and its standbys; null if no cluster has this identifier. */
export async function describeCluster(rds: RDSClient, identifier: string): Promise<DatabaseState | null> {
  const cluster = await findCluster(rds, identifier);
  if (!cluster) return null;
  const members = await Promise.all(
    (cluster.DBClusterMembers ?? []).map(async (member) => ({
      ...member,
      instance: await findInstance(rds, member.DBInstanceIdentifier ?? ''),
    })),
  );
  const writer = members.find(({ IsClusterWriter }) => IsClusterWriter === true)?.instance;
  const standbys = members.flatMap(({ IsClusterWriter, instance }) =>
    IsClusterWriter !== true && instance ? [instance] : [],
  );
  return {
    database: {
      kind: 'cluster',
      identifier,
      resourceId: cluster.DbClusterResourceId ?? null,
      endpoint: cluster.Endpoint ?? null,
      class: cluster.DBClusterInstanceClass ?? null,
      engineVersion: cluster.EngineVersion ?? null,
      storage: {
        type: cluster.StorageType ?? null,
        sizeGib: cluster.AllocatedStorage ?? null,
        iops: cluster.Iops ?? null,
        throughputMibps: cluster.StorageThroughput ?? null,
      },
      // RDS offers no log volume for clusters.
      dedicatedLogVolume: false,
      multiAz: cluster.MultiAZ ?? false,
      availabilityZone: writer?.AvailabilityZone ?? null,
      standbyZones: standbys.flatMap(({ AvailabilityZone: zone }) => (zone === undefined ? [] : [zone])).sort(),
      parameterGroup: cluster.DBClusterParameterGroup ?? null,
      backupRetentionDays: cluster.BackupRetentionPeriod ?? null,
      monitoringIntervalSeconds: cluster.MonitoringInterval ?? 0,
    },
    port: cluster.Port ?? null,
    statuses: unique([cluster.Status, ...members.map(({ instance }) => instance?.DBInstanceStatus ?? 'creating')]),
    parameterStatuses: unique(members.map(({ DBClusterParameterGroupStatus: status }) => status)),
    pending: [
      ...pendingChanges(cluster.PendingModifiedValues),
      ...members.flatMap(({ instance }) =>
        pendingChanges(instance?.PendingModifiedValues).map(
          (change) => `${change} (${instance?.DBInstanceIdentifier ?? ''})`,
        ),
      ),
    ],
    windows: windowsOf(cluster),
    standbys: new Map(standbys.flatMap(zoneAndIdentifier)),
  };
}

/** null if no cluster has this identifier. @throws {AwsCallError} */
export async function findCluster(rds: RDSClient, identifier: string): Promise<DBCluster | null> {
  try {
    const { DBClusters = [] } = await callAws('rds:DescribeDBClusters', identifier, () =>
      rds.send(new DescribeDBClustersCommand({ DBClusterIdentifier: identifier })),
    );
    return DBClusters[0] ?? null;
  } catch (error) {
    if (error instanceof AwsCallError && /^DBClusterNotFound/.test(error.code)) return null;
    throw error;
  }
}

function zoneAndIdentifier({ AvailabilityZone: zone, DBInstanceIdentifier: id }: DBInstance): [string, string][] {
  return zone === undefined || id === undefined ? [] : [[zone, id]];
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.map((text) => text ?? 'unknown'))];
}
