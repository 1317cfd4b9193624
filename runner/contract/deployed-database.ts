/**
 * What RDS says that the database of one variant is; null where it does not say. The binding's `expected` has the same words
 * for what was asked for. Part of every deployed result.
 */
export interface DeployedDatabase {
  /** `cluster` is a Multi-AZ DB cluster. */
  kind: 'instance' | 'cluster';
  /** DBInstanceIdentifier or DBClusterIdentifier. */
  identifier: string;
  /** Another one after the database was made anew under the same identifier. */
  resourceId: string | null;
  /** Host name. */
  endpoint: string | null;
  class: string | null;
  engineVersion: string | null;
  storage: {
    type: string | null;
    sizeGib: number | null;
    iops: number | null;
    throughputMibps: number | null;
  };
  dedicatedLogVolume: boolean;
  multiAz: boolean;
  /** Of the primary, or of a cluster's writer. */
  availabilityZone: string | null;
  /** Of the standbys: none, one, or a cluster's two. */
  standbyZones: string[];
  parameterGroup: string | null;
  backupRetentionDays: number | null;
  monitoringIntervalSeconds: number | null;
}
