import { z } from 'zod';

/**
 * What RDS says about the database of one variant; null if it does not say. The binding's `expected` has the same names for
 * what was asked for. Part of every deployed result.
 */
export const deployedDatabaseSchema = z.object({
  /** `cluster` is a Multi-AZ DB cluster. */
  kind: z.enum(['instance', 'cluster']),
  /** DBInstanceIdentifier or DBClusterIdentifier. */
  identifier: z.string(),
  /** Changes if the database is made anew under the same identifier. */
  resourceId: z.string().nullable(),
  /** Host name. */
  endpoint: z.string().nullable(),
  class: z.string().nullable(),
  engineVersion: z.string().nullable(),
  storage: z.object({
    type: z.string().nullable(),
    sizeGib: z.number().nullable(),
    iops: z.number().nullable(),
    throughputMibps: z.number().nullable(),
  }),
  dedicatedLogVolume: z.boolean(),
  multiAz: z.boolean(),
  /** Zone of the primary, or of the writer of a cluster. */
  availabilityZone: z.string().nullable(),
  /** Zones of the standbys: none, one, or the two of a cluster. */
  standbyZones: z.array(z.string()),
  parameterGroup: z.string().nullable(),
  backupRetentionDays: z.number().nullable(),
  monitoringIntervalSeconds: z.number().nullable(),
});

export type DeployedDatabase = z.output<typeof deployedDatabaseSchema>;
