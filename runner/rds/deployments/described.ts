import type { DBInstance } from '@aws-sdk/client-rds';
import { deployedDatabaseSchema } from '../../contract/server-facts.ts';
import type { PropertyValue } from '../../contract/server-property.ts';
import { AwsCallError } from '../aws/call.ts';
import type { DatabaseState, MaintenanceWindows } from './deployment.ts';
import { rdsProperties, recordOf } from './server-properties.ts';

/** What RDS calls in the same way for instances and clusters. */
interface Described {
  BackupRetentionPeriod?: number | undefined;
  PreferredBackupWindow?: string | undefined;
  PreferredMaintenanceWindow?: string | undefined;
}

/** The record of a database, with every property that RDS reports. @param rest what has a name of its own */
export function databaseOf(
  read: (property: (typeof rdsProperties)[number]) => PropertyValue | undefined,
  rest: object,
): DatabaseState['database'] {
  const { standbyZones = [], ...known } = rest as { standbyZones?: string[] };
  return deployedDatabaseSchema.parse({ ...recordOf(read), standbyZones, ...known });
}

/** The changes in a structure in which RDS fills in only what is pending, as texts. */
export function pendingChanges(values: object | undefined): string[] {
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
export function storageOperationsOf(instances: readonly DBInstance[]): string[] {
  const texts = instances.flatMap(({ StorageOperationStatus: status, StorageOperationPercentProgress: percent }) =>
    status === undefined ? [] : [`storage ${status.toLowerCase()}${percent === undefined ? '' : `, ${percent}% done`}`],
  );
  return [...new Set(texts)];
}

export function windowsOf({
  BackupRetentionPeriod: days,
  PreferredBackupWindow: backup,
  PreferredMaintenanceWindow: maintenance,
}: Described): MaintenanceWindows {
  return { backup: days === 0 ? null : (backup ?? null), maintenance: maintenance ?? null };
}

/** AWS bills a database from its creation on, but not while it is being created. */
export function billedFrom(status: string | undefined, createdAt: Date | undefined): Date | null {
  return status === 'creating' ? null : (createdAt ?? null);
}

/** The answer of a call; null if it says with this code that there is nothing of this name. */
export async function ifThere<Answer>(call: Promise<Answer>, code: RegExp): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AwsCallError && code.test(error.code)) return null;
    throw error;
  }
}
