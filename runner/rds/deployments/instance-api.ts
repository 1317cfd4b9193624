import {
  CreateDBSnapshotCommand,
  type DBInstance,
  DescribeDBInstancesCommand,
  DescribeDBSnapshotsCommand,
  paginateDescribeEngineDefaultParameters,
  type Parameter,
  type RDSClient,
  RebootDBInstanceCommand,
} from '@aws-sdk/client-rds';
import { callAws } from '../aws/call.ts';
import type { DatabaseApi } from './deployment.ts';
import { billedFrom, databaseOf, ifThere, pendingChanges, storageOperationsOf, windowsOf } from './described.ts';

export const instanceApi: DatabaseApi = {
  async describe(rds, identifier) {
    const found = await findInstance(rds, identifier);
    if (!found) return null;
    const standbyZone = found.SecondaryAvailabilityZone;
    const groups = found.DBParameterGroups ?? [];
    return {
      database: databaseOf(({ instance }) => instance(found), {
        kind: 'instance',
        identifier,
        resourceId: found.DbiResourceId ?? null,
        endpoint: found.Endpoint?.Address ?? null,
        standbyZones: standbyZone === undefined ? [] : [standbyZone],
      }),
      port: found.Endpoint?.Port ?? null,
      availableSince: billedFrom(found.DBInstanceStatus, found.InstanceCreateTime),
      statuses: [found.DBInstanceStatus ?? 'unknown'],
      storageOperations: storageOperationsOf([found]),
      parameterStatuses: groups.flatMap(({ ParameterApplyStatus: status }) => (status === undefined ? [] : [status])),
      pending: pendingChanges(found.PendingModifiedValues),
      windows: windowsOf(found),
      standbys: new Map(standbyZone === undefined ? [] : [[standbyZone, identifier]]),
    };
  },
  members: (_rds, identifier) => Promise.resolve([{ role: 'only', identifier }]),
  // Without a failover, so that the primary of a Multi-AZ instance itself restarts.
  reboot: (rds, identifier) => reboot(rds, identifier, {}),
  failOver: (rds, identifier) => reboot(rds, identifier, { ForceFailover: true }),
  snapshot: {
    command: 'db-snapshot',
    async create(rds, DBInstanceIdentifier, DBSnapshotIdentifier, tags) {
      const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      await callAws('rds:CreateDBSnapshot', DBSnapshotIdentifier, () =>
        rds.send(new CreateDBSnapshotCommand({ DBInstanceIdentifier, DBSnapshotIdentifier, Tags })),
      );
    },
    async describe(rds, DBSnapshotIdentifier) {
      const { DBSnapshots: [found] = [] } = await callAws('rds:DescribeDBSnapshots', DBSnapshotIdentifier, () =>
        rds.send(new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier })),
      );
      if (!found) return null;
      const { DBSnapshotArn: arn = null, Status: status = 'creating', PercentProgress: percent = 0 } = found;
      return { arn, status, percent };
    },
  },
  eventSources: () => [],
  defaultParameters: (rds, DBParameterGroupFamily) =>
    callAws('rds:DescribeEngineDefaultParameters', DBParameterGroupFamily, async () => {
      const found: Parameter[] = [];
      const pages = paginateDescribeEngineDefaultParameters({ client: rds }, { DBParameterGroupFamily });
      for await (const { EngineDefaults } of pages) found.push(...(EngineDefaults?.Parameters ?? []));
      return found;
    }),
};

/**
 * Finds an instance by its identifier; null if there is none. A filter would not work: the driver may only describe its own
 * instances.
 *
 * @throws {AwsCallError}
 */
export async function findInstance(rds: RDSClient, DBInstanceIdentifier: string): Promise<DBInstance | null> {
  const answer = callAws('rds:DescribeDBInstances', DBInstanceIdentifier, () =>
    rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier })),
  );
  return (await ifThere(answer, /^DBInstanceNotFound/))?.DBInstances?.[0] ?? null;
}

async function reboot(rds: RDSClient, DBInstanceIdentifier: string, how: { ForceFailover?: true }): Promise<void> {
  await callAws('rds:RebootDBInstance', DBInstanceIdentifier, () =>
    rds.send(new RebootDBInstanceCommand({ DBInstanceIdentifier, ...how })),
  );
}
