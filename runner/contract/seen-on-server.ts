import { z } from 'zod';

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

/** A checkpoint that a server tells of in its log. null where the log does not say it. */
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
  /** WAL of the cycle that it ended: from the start of the checkpoint before to its own. Absent in older results. */
  distanceBytes: z.number().nullable().optional(),
});

export type LoggedCheckpoint = z.output<typeof loggedCheckpointSchema>;
