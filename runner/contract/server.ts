import { z } from 'zod';
import type { Conditions, Level } from './trial.ts';
import { instantSchema } from './versioned-file.ts';

/**
 * Name of the server on which trials with these conditions run: the variant, and with `protocol.replicas` also the
 * number of the replica, such as `with-dlv-2`. Everything that belongs to one server has this name: its target, its
 * files, and its database in the binding.
 */
export function serverName({ variant, replica }: { variant: string; replica?: string | number | undefined }): string {
  return replica === undefined ? variant : `${variant}-${replica}`;
}

/** All servers of an experiment. Each is described by the conditions that its trials share. */
export function serversOf(variants: readonly string[], replicas: number): Conditions[] {
  return variants.flatMap((variant) =>
    replicasOf(replicas).map((replica): Conditions => (replica === undefined ? { variant } : { variant, replica })),
  );
}

/** The replicas as an axis of the plan; empty if each variant has one server. */
export function replicaAxis(replicas: number): Record<string, readonly number[]> {
  const numbers = replicasOf(replicas).flatMap((replica) => replica ?? []);
  return numbers.length > 0 ? { replica: numbers } : {};
}

/**
 * The records of the servers at a level: those of its replica, or all of them if the level names no replica.
 *
 * @param variant if given, only servers of this variant
 */
export function serversAt<Server extends { name: string; replica?: number | undefined }>(
  servers: readonly Server[],
  level: Level,
  variant?: string,
): Server[] {
  return servers.filter(
    ({ name, replica }) =>
      (variant === undefined || name === variant) &&
      (replica === undefined || level['replica'] === undefined || level['replica'] === replica),
  );
}

/** The names of the variants, each once, in their order. */
export function variantNames(servers: readonly { name: string }[]): string[] {
  return [...new Set(servers.map(({ name }) => name))];
}

/**
 * Numbers from 1, or only undefined if a variant has one server.
 *
 * @param replicas undefined in results that were made before there were replicas
 */
function replicasOf(replicas: number | undefined): (number | undefined)[] {
  return replicas !== undefined && replicas > 1
    ? Array.from({ length: replicas }, (_, index) => index + 1)
    : [undefined];
}

/** A volume that a server uses, as seen by the machine that counts its I/O. */
export interface ServerVolume {
  /**
   * What the server keeps there: `data` (with WAL, if that has no volume of its own), `log`, or `standby1` for all of a
   * standby.
   */
  name: string;
  /** Its block device, as MAJ:MIN below /sys/dev/block; null for a plain folder, whose disk others use, too. */
  device: string | null;
  /** I/Os per second; null if they are not limited. */
  iopsLimit: number | null;
  /** Bytes per second; null if they are not limited. */
  throughputLimit: number | null;
}

/** Begins to follow a server's log, wherever it is kept. */
export type ReadServerLog = () => Promise<FollowedLog>;

export interface FollowedLog {
  /**
   * The lines that were written since then, and some that were written shortly before, in their order.
   *
   * @param isWanted leaves out all other lines, so that a log may be long
   * @throws {UserError} if the log cannot be read
   */
  lines(isWanted: (line: string) => boolean): Promise<string[]>;
  /** How many bytes were written since then. */
  bytes(): Promise<number>;
}

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
 * for what was asked for. Part of every deployed result.
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
