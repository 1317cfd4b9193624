import { type DBInstance, DescribeDBInstancesCommand, type RDSClient } from '@aws-sdk/client-rds';
import { AwsCallError, callAws } from '../../aws/call.ts';
import { type DatabaseState, pendingChanges } from './database-state.ts';
import type { MaintenanceWindows } from './maintenance-windows.ts';

/** The state of a Single-AZ or Multi-AZ instance; null if no instance has this identifier. */
export async function describeInstance(rds: RDSClient, identifier: string): Promise<DatabaseState | null> {
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
    parameterStatuses: groups.flatMap(({ ParameterApplyStatus: status }) => (status === undefined ? [] : [status])),
    pending: pendingChanges(instance.PendingModifiedValues),
    windows: windowsOf(instance),
    standbys: new Map(standbyZone === undefined ? [] : [[standbyZone, identifier]]),
  };
}

export function windowsOf({
  BackupRetentionPeriod: days,
  PreferredBackupWindow: backup,
  PreferredMaintenanceWindow: maintenance,
}: Pick<
  DBInstance,
  'BackupRetentionPeriod' | 'PreferredBackupWindow' | 'PreferredMaintenanceWindow'
>): MaintenanceWindows {
  return { backup: days === 0 ? null : (backup ?? null), maintenance: maintenance ?? null };
}

/** Finds an instance by its identifier. A filter would not do: the driver may look at its own instances only. */
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
