import type { DeployedDatabase } from '../../contract/deployed-database.ts';

/** The database of one variant as RDS describes it at one moment. */
export interface DatabaseState {
  database: DeployedDatabase;
  port: number | null;
  /** RDS's words, such as `available`; for a cluster also those of its members, once each. */
  statuses: string[];
  /** How far the parameter group is applied, RDS's words, such as `in-sync`. */
  parameterStatuses: string[];
  /** Changes that RDS has yet to make, such as `DedicatedLogVolume true`. */
  pending: string[];
  /** Members of a cluster that do not write, by zone. */
  standbys: ReadonlyMap<string, string>;
}

/** The values of a structure that RDS fills in only for what is pending. */
export function pendingChanges(values: object | undefined): string[] {
  return Object.entries(values ?? {}).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
    // A password stands there as asterisks; nothing of it is worth showing.
    return name === 'MasterUserPassword' ? [name] : [`${name} ${JSON.stringify(value)}`];
  });
}
