import {
  CreateDBClusterSnapshotCommand,
  type DBCluster,
  DescribeDBClustersCommand,
  DescribeDBClusterSnapshotsCommand,
  FailoverDBClusterCommand,
  paginateDescribeEngineDefaultClusterParameters,
  type Parameter,
  type RDSClient,
  RebootDBClusterCommand,
} from '@aws-sdk/client-rds';
import { callAws } from '../aws/call.ts';
import type { DatabaseApi } from './deployment.ts';
import { billedFrom, databaseOf, ifThere, pendingChanges, storageOperationsOf, windowsOf } from './described.ts';
import { findInstance } from './instance-api.ts';

export const clusterApi: DatabaseApi = {
  async describe(rds, identifier) {
    const found = await findCluster(rds, identifier);
    if (!found) return null;
    const members = await Promise.all(
      (found.DBClusterMembers ?? []).map(async (member) => ({
        ...member,
        instance: await findInstance(rds, member.DBInstanceIdentifier ?? ''),
      })),
    );
    const writer = members.find(({ IsClusterWriter }) => IsClusterWriter === true)?.instance;
    const standbys = members.flatMap(({ IsClusterWriter, instance }) =>
      IsClusterWriter !== true && instance ? [instance] : [],
    );
    return {
      database: databaseOf(({ cluster }) => cluster(found), {
        kind: 'cluster',
        identifier,
        resourceId: found.DbClusterResourceId ?? null,
        endpoint: found.Endpoint ?? null,
        availabilityZone: writer?.AvailabilityZone ?? null,
        standbyZones: standbys.flatMap(({ AvailabilityZone: zone }) => (zone === undefined ? [] : [zone])).sort(),
      }),
      port: found.Port ?? null,
      availableSince: billedFrom(found.Status, found.ClusterCreateTime),
      statuses: unique([found.Status, ...members.map(({ instance }) => instance?.DBInstanceStatus ?? 'creating')]),
      storageOperations: storageOperationsOf(members.flatMap(({ instance }) => instance ?? [])),
      parameterStatuses: unique(members.map(({ DBClusterParameterGroupStatus: status }) => status)),
      pending: [
        ...pendingChanges(found.PendingModifiedValues),
        ...members.flatMap(({ instance }) =>
          pendingChanges(instance?.PendingModifiedValues).map(
            (change) => `${change} (${instance?.DBInstanceIdentifier ?? ''})`,
          ),
        ),
      ],
      windows: windowsOf(found),
      standbys: new Map(
        standbys.flatMap(({ AvailabilityZone: zone, DBInstanceIdentifier: id }): [string, string][] =>
          zone === undefined || id === undefined ? [] : [[zone, id]],
        ),
      ),
    };
  },
  /** The writer, then the readers in the order of their names. */
  async members(rds, identifier) {
    const { DBClusterMembers = [] } = (await findCluster(rds, identifier)) ?? {};
    const names = DBClusterMembers.map(({ DBInstanceIdentifier: name = '', IsClusterWriter: writes = false }) => ({
      name,
      writes,
    })).sort((a, b) => Number(b.writes) - Number(a.writes) || (a.name < b.name ? -1 : 1));
    const writers = names.filter(({ writes }) => writes).length;
    return names.map(({ name, writes }, index) => ({
      role: writes ? 'writer' : `reader${index - writers + 1}`,
      identifier: name,
    }));
  },
  async reboot(rds, DBClusterIdentifier) {
    await callAws('rds:RebootDBCluster', DBClusterIdentifier, () =>
      rds.send(new RebootDBClusterCommand({ DBClusterIdentifier })),
    );
  },
  async failOver(rds, DBClusterIdentifier, TargetDBInstanceIdentifier) {
    await callAws('rds:FailoverDBCluster', DBClusterIdentifier, () =>
      rds.send(new FailoverDBClusterCommand({ DBClusterIdentifier, TargetDBInstanceIdentifier })),
    );
  },
  snapshot: {
    command: 'db-cluster-snapshot',
    async create(rds, DBClusterIdentifier, DBClusterSnapshotIdentifier, tags) {
      const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      await callAws('rds:CreateDBClusterSnapshot', DBClusterSnapshotIdentifier, () =>
        rds.send(new CreateDBClusterSnapshotCommand({ DBClusterIdentifier, DBClusterSnapshotIdentifier, Tags })),
      );
    },
    async describe(rds, DBClusterSnapshotIdentifier) {
      const { DBClusterSnapshots: [found] = [] } = await callAws(
        'rds:DescribeDBClusterSnapshots',
        DBClusterSnapshotIdentifier,
        () => rds.send(new DescribeDBClusterSnapshotsCommand({ DBClusterSnapshotIdentifier })),
      );
      if (!found) return null;
      const { DBClusterSnapshotArn: arn = null, Status: status = 'creating', PercentProgress: percent = 0 } = found;
      return { arn, status, percent };
    },
  },
  /** Backups of a cluster have the names of snapshots, which nobody knows beforehand, so all of the account are asked for. */
  eventSources: (identifier) => [
    { SourceType: 'db-cluster', SourceIdentifier: identifier },
    { SourceType: 'db-cluster-snapshot' },
  ],
  defaultParameters: (rds, DBParameterGroupFamily) =>
    callAws('rds:DescribeEngineDefaultClusterParameters', DBParameterGroupFamily, async () => {
      const found: Parameter[] = [];
      const pages = paginateDescribeEngineDefaultClusterParameters({ client: rds }, { DBParameterGroupFamily });
      for await (const { EngineDefaults } of pages) found.push(...(EngineDefaults?.Parameters ?? []));
      return found;
    }),
};

/** null if no cluster has this identifier. @throws {AwsCallError} */
async function findCluster(rds: RDSClient, DBClusterIdentifier: string): Promise<DBCluster | null> {
  const answer = callAws('rds:DescribeDBClusters', DBClusterIdentifier, () =>
    rds.send(new DescribeDBClustersCommand({ DBClusterIdentifier })),
  );
  return (await ifThere(answer, /^DBClusterNotFound/))?.DBClusters?.[0] ?? null;
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.map((text) => text ?? 'unknown'))];
}
