import {
  type DBCluster,
  type DBInstance,
  DescribeDBClustersCommand,
  DescribeDBInstancesCommand,
  type RDSClient,
} from '@aws-sdk/client-rds';
import type { DeployedDatabase } from '../../contract/server-facts.ts';
import { weekdays } from '../contract/waiting-times.ts';
import { AwsCallError, callAws } from '../aws/call.ts';
import type { ServerBinding } from '../contract/binding.ts';

/** The database of one variant, as RDS describes it at one moment. */
export interface DatabaseState {
  database: DeployedDatabase;
  port: number | null;
  /** Statuses as RDS writes them, such as `available`. For a cluster, also those of its members, each status once. */
  statuses: string[];
  /** Storage operations in progress, each once, such as `storage initializing, 40% done`. For a cluster, of its members. */
  storageOperations: string[];
  /** Whether the parameter group is applied, as RDS writes it, such as `in-sync`. */
  parameterStatuses: string[];
  /** Changes that RDS has not made yet, such as `DedicatedLogVolume true`. */
  pending: string[];
  windows: MaintenanceWindows;
  /** Standbys by zone. The value is the identifier of the cluster member, or of the instance itself. */
  standbys: ReadonlyMap<string, string>;
}

/** The changes in a structure in which RDS fills in only what is pending, as texts. */
function pendingChanges(values: object | undefined): string[] {
  return Object.entries(values ?? {}).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
    // RDS shows a password as asterisks, which are no use to a reader.
    return name === 'MasterUserPassword' ? [name] : [`${name} ${JSON.stringify(value)}`];
  });
}

/**
 * RDS shows the fields only while an operation is in progress: `Initializing` after a restore, `Optimizing` after a change of
 * the storage. Until it ends, the volume may be slower than provisioned.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstance.html
 */
function storageOperationsOf(instances: readonly DBInstance[]): string[] {
  const texts = instances.flatMap(({ StorageOperationStatus: status, StorageOperationPercentProgress: percent }) =>
    status === undefined ? [] : [`storage ${status.toLowerCase()}${percent === undefined ? '' : `, ${percent}% done`}`],
  );
  return [...new Set(texts)];
}

/** When RDS may work on a database by itself, in UTC, as RDS writes it; null if RDS does not report it. */
export interface MaintenanceWindows {
  /** Daily, such as `03:00-03:30`; null also if there are no automated backups. */
  backup: string | null;
  /** Weekly, such as `sun:05:00-sun:05:30`. */
  maintenance: string | null;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * The current window if it is open already, otherwise the next one.
 *
 * @param window daily or weekly, as RDS writes it
 * @returns null if the text is not a window
 */
export function nextOpening(window: string, now: Date): { from: Date; to: Date } | null {
  const part = '(?:([a-z]{3}):)?(\\d\\d):(\\d\\d)';
  const [, fromDay, fromHour, fromMinute, toDay, toHour, toMinute] =
    new RegExp(`^${part}-${part}$`, 'i').exec(window) ?? [];
  if (fromHour === undefined) return null;
  const period = fromDay === undefined ? dayMinutes : 7 * dayMinutes;
  const start = minuteOf(fromDay, fromHour, fromMinute);
  const length = (minuteOf(toDay, toHour, toMinute) - start + period) % period;
  const sunday = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - now.getUTCDay());
  // Begin one period before this week's first window, which may still be open.
  for (let from = sunday + (start - period) * minuteMs; ; from += period * minuteMs) {
    const to = from + length * minuteMs;
    if (to > now.getTime()) return { from: new Date(from), to: new Date(to) };
  }
}

function minuteOf(day: string | undefined, hour = '0', minute = '0'): number {
  return (
    (day === undefined ? 0 : weekdays.indexOf(day.toLowerCase()) * dayMinutes) + Number(hour) * 60 + Number(minute)
  );
}

/** The state of a Single-AZ or Multi-AZ instance; null if no instance has this identifier. */
async function describeInstance(rds: RDSClient, identifier: string): Promise<DatabaseState | null> {
  const instance = await findInstance(rds, identifier);
  if (!instance) return null;
  const zone = instance.AvailabilityZone ?? null;
  const standbyZone = instance.SecondaryAvailabilityZone;
  const groups = instance.DBParameterGroups ?? [];
  return {
    database: {
      kind: 'instance',
      identifier,
      resourceId: instance.DbiResourceId ?? null,
      endpoint: instance.Endpoint?.Address ?? null,
      class: instance.DBInstanceClass ?? null,
      engineVersion: instance.EngineVersion ?? null,
      storage: {
        type: instance.StorageType ?? null,
        sizeGib: instance.AllocatedStorage ?? null,
        iops: instance.Iops ?? null,
        throughputMibps: instance.StorageThroughput ?? null,
      },
      dedicatedLogVolume: instance.DedicatedLogVolume ?? false,
      multiAz: instance.MultiAZ ?? false,
      availabilityZone: zone,
      standbyZones: standbyZone === undefined ? [] : [standbyZone],
      parameterGroup: groups[0]?.DBParameterGroupName ?? null,
      backupRetentionDays: instance.BackupRetentionPeriod ?? null,
      monitoringIntervalSeconds: instance.MonitoringInterval ?? 0,
    },
    port: instance.Endpoint?.Port ?? null,
    statuses: [instance.DBInstanceStatus ?? 'unknown'],
    storageOperations: storageOperationsOf([instance]),
    parameterStatuses: groups.flatMap(({ ParameterApplyStatus: status }) => (status === undefined ? [] : [status])),
    pending: pendingChanges(instance.PendingModifiedValues),
    windows: windowsOf(instance),
    standbys: new Map(standbyZone === undefined ? [] : [[standbyZone, identifier]]),
  };
}

function windowsOf({
  BackupRetentionPeriod: days,
  PreferredBackupWindow: backup,
  PreferredMaintenanceWindow: maintenance,
}: Pick<
  DBInstance,
  'BackupRetentionPeriod' | 'PreferredBackupWindow' | 'PreferredMaintenanceWindow'
>): MaintenanceWindows {
  return { backup: days === 0 ? null : (backup ?? null), maintenance: maintenance ?? null };
}

/** Finds an instance by its identifier. A filter would not work: the driver may only describe its own instances. */
export async function findInstance(rds: RDSClient, identifier: string): Promise<DBInstance | null> {
  try {
    const { DBInstances = [] } = await callAws('rds:DescribeDBInstances', identifier, () =>
      rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier: identifier })),
    );
    return DBInstances[0] ?? null;
  } catch (error) {
    if (error instanceof AwsCallError && /^DBInstanceNotFound/.test(error.code)) return null;
    throw error;
  }
}

/** The state of a Multi-AZ DB cluster with its writer and standbys; null if no cluster has this identifier. */
async function describeCluster(rds: RDSClient, identifier: string): Promise<DatabaseState | null> {
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
    storageOperations: storageOperationsOf(members.flatMap(({ instance }) => instance ?? [])),
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

/**
 * @returns null if there is no such database
 * @throws {AwsCallError}
 */
export function describeDatabase(rds: RDSClient, binding: ServerBinding): Promise<DatabaseState | null> {
  const describe = binding.kind === 'cluster' ? describeCluster : describeInstance;
  return describe(rds, binding.identifier);
}
