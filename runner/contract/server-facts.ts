import * as z from 'zod';
import { instantSchema } from './versioned-file.ts';

/** What a server did for one statement in a trial, whatever its constants were. */
export const statementSchema = z.object({
  /** As pg_stat_statements numbers it. */
  queryId: z.string(),
  /** Without its constants, and shortened. */
  text: z.string(),
  calls: z.number(),
  /** Seconds of all calls together. */
  totalTime: z.number(),
  /** Seconds of one call. */
  meanTime: z.number(),
  rows: z.number(),
  blocksRead: z.number(),
  blocksDirtied: z.number(),
  walBytes: z.number(),
  /** Seconds of compiling (JIT) in all calls together; absent where it was not read. */
  jitTime: z.number().optional(),
});

export type Statement = z.output<typeof statementSchema>;

export const standbySchema = z.object({
  /** Its application_name. */
  name: z.string(),
  /** Such as `streaming`. */
  state: z.string().nullable(),
  /** Such as `async` or `quorum`. */
  syncState: z.string().nullable(),
});

export type Standby = z.output<typeof standbySchema>;

/** A checkpoint that a server reports in its log. null if the log does not say. */
export const loggedCheckpointSchema = z.object({
  /** Seconds since the trial started; below zero if it began before. */
  startedAt: z.number(),
  /** null if it was under way when the log was read. */
  endedAt: z.number().nullable(),
  /** Such as `wal`, `time` or `immediate force wait`. */
  reason: z.string().nullable(),
  /** Whether a standby made it. */
  restartpoint: z.boolean(),
  buffers: z.number().nullable(),
  writeSeconds: z.number().nullable(),
  syncSeconds: z.number().nullable(),
  /** WAL of the cycle that it ended: from the start of the previous checkpoint to its own. Absent in older results. */
  distanceBytes: z.number().nullable().optional(),
});

export type LoggedCheckpoint = z.output<typeof loggedCheckpointSchema>;

/** A parameter that was asked for, and what the server said about it before anything was measured. */
export const parameterFindingSchema = z.object({
  name: z.string(),
  /** As it was asked for: a number without a unit is in the parameter's own unit. */
  asked: z.string(),
  /** As pg_settings has it, with its unit, such as `8192 (8kB)`; null if the server does not show it. */
  found: z.string().nullable(),
  /** null if it cannot be proved: the server does not show it, or it is a formula that RDS evaluates. */
  inForce: z.boolean().nullable(),
  /** Whether the server has another value for it that waits for a restart. */
  pendingRestart: z.boolean(),
});

export type ParameterFinding = z.output<typeof parameterFindingSchema>;

/**
 * What RDS reports about the database of one variant; null if it does not. The binding's `expected` has the same names
 * for what was asked for. Part of every deployed result. Properties that came later (rds/deployments/server-properties.ts)
 * are there, too, by their ids.
 */
export const deployedDatabaseSchema = z.looseObject({
  /** That of its deployment (rds/deployments/): `cluster` is a Multi-AZ DB cluster. */
  kind: z.string(),
  /** DBInstanceIdentifier or DBClusterIdentifier. */
  identifier: z.string(),
  /** Changes if the database is made anew under the same identifier. */
  resourceId: z.string().nullable(),
  /** Host name. */
  endpoint: z.string().nullable(),
  class: z.string().nullable(),
  engineVersion: z.string().nullable(),
  storage: z.looseObject({
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

/** A log volume that was switched on or off in mid-run, so that each instance carries every variant once. */
export const logVolumeSwitchSchema = z.object({
  /** DBInstanceIdentifier. */
  instance: z.string(),
  logVolume: z.enum(['on', 'off']),
  /** The variant that the instance carries from then on. */
  carries: z.string(),
  startedAt: instantSchema,
  endedAt: instantSchema,
  /** Seconds during which no connection was possible, accurate to the few seconds between two tries. */
  downtimeSeconds: z.number(),
});

export type LogVolumeSwitch = z.output<typeof logVolumeSwitchSchema>;
