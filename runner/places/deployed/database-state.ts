import type { DeployedDatabase } from '../../contract/deployed-database.ts';
import type { MaintenanceWindows } from './maintenance-windows.ts';

/** The database of one variant as RDS describes it at one moment. */
export interface DatabaseState {
  database: DeployedDatabase;
  port: number | null;
  /** Statuses as RDS writes them, such as `available`. For a cluster, also those of its members, each status once. */
  statuses: string[];
  /** How far the parameter group is applied, as RDS writes it, such as `in-sync`. */
  parameterStatuses: string[];
  /** Changes that RDS has not made yet, such as `DedicatedLogVolume true`. */
  pending: string[];
  windows: MaintenanceWindows;
  /** Standbys by zone. The value is the identifier of the cluster member, or of the instance itself. */
  standbys: ReadonlyMap<string, string>;
}

/** The values of a structure in which RDS fills in only what is pending, in words. */
export function pendingChanges(values: object | undefined): string[] {
  return Object.entries(values ?? {}).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
    // RDS shows a password as asterisks; there is no use in showing them.
    return name === 'MasterUserPassword' ? [name] : [`${name} ${JSON.stringify(value)}`];
  });
}
