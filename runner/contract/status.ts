import * as z from 'zod';
import { type Conditions, conditionsSchema, type Trial, type TrialStage } from './trial.ts';
import { headShape, parseVersioned } from './versioned-file.ts';
import type { MeasureStep, PlannedTrial, Step } from './plan.ts';

export const statusHead = { kind: 'pgduet-status', schemaVersion: 3 } as const;

/**
 * status.json of a deployed run. It is overwritten every few seconds. It shows what is happening, and by its age
 * whether the driver is still alive. Times are ISO 8601 in UTC.
 */
const runStatusSchema = z.object({
  ...headShape(statusHead),
  toolVersion: z.string(),
  /**
   * `interrupted`: continues when the driver starts again. `stopped`: ended by a limit of the experiment. `failed`:
   * ended with trials missing. `refused`: ended before a run began, such as in the pre-flight.
   */
  state: z.enum(['running', 'finished', 'failed', 'interrupted', 'stopped', 'refused']),
  /**
   * When the stack deletes itself, once the run has ended and everything is saved; null before that, and if it is to be
   * kept. The stack reads this, and only the beginning of the object: see `deleteAfterKey`.
   */
  deleteAfter: z.string().nullable(),
  experiment: z.string(),
  profile: z.string(),
  stackName: z.string(),
  dashboardUrl: z.string(),
  /** The deploy that asked for the run, as its binding names it. */
  deploy: z.string(),
  /** Folder of the run, relative to status.json, with a slash at its end; null if none began. */
  run: z.string().nullable(),
  startedAt: z.string(),
  updatedAt: z.string(),
  endedAt: z.string().nullable(),
  /** What is happening now; null when the run has ended. */
  current: z
    .object({
      /**
       * A step of the plan such as `create`, `load` or `cross-over`; `try-out` after these; or a stage of a trial such
       * as `warm-up`.
       */
      stage: z.string(),
      /** Conditions of the trial, or the variant that is loaded; null if the stage concerns all variants. */
      conditions: conditionsSchema.nullable(),
      /** Number of the trial in the order of the plan, from 1; null outside of trials. */
      trialNumber: z.int().nullable(),
      /** Share of the loading that is done, from 0 to 1. */
      done: z.number().nullable(),
      elapsedSeconds: z.number().nullable(),
      tps: z.number().nullable(),
      /** What AWS resource this stage is waiting for, and since when, in words; null if none. */
      waitingFor: z.string().nullable(),
    })
    .nullable(),
  plannedTrials: z.int(),
  /** Trials that have ended, in the order of their end. Trials of earlier starts of the same run are among them. */
  trials: z.array(
    z.object({
      id: z.string(),
      /** Number in the order of the plan, from 1; null if its block was measured once more. */
      number: z.int().nullable(),
      block: z.int(),
      conditions: conditionsSchema,
      state: z.enum(['finished', 'failed', 'interrupted']),
      /** Values by metric name: the declared metric, and others that a reader looks at first. */
      measures: z.record(z.string(), z.number().nullable()),
      error: z.string().nullable(),
      /** Where it failed, and what kind of failure that is (contract/failures.ts). Absent in old files. */
      failure: z.object({ stage: z.string(), code: z.string().optional() }).nullable().optional(),
      endedAt: z.string(),
    }),
  ),
  expectedEndAt: z.string().nullable(),
  /** Whether the run may end before, at a look (`protocol.until`). */
  mayStopEarly: z.boolean().default(false),
  limitHours: z.number().nullable(),
  /** Price of everything in the stack in US dollars; null if it is not known. */
  dollarsPerHour: z.number().nullable(),
  /**
   * Since when this price makes up the bill: about when the first database became available (`billedSince` in
   * costs/bill.ts); null if that could not be queried.
   */
  billedSince: z.string().nullable(),
  /** What happens to the stack when the run has ended, and after how many minutes. */
  whenDone: z.enum(['destroy', 'keep']),
  graceMinutes: z.number(),
  /** When the stack deletes itself in any case; null if it never does, or if that is not known. */
  expiresAt: z.string().nullable(),
  /** The objects of the run that were proved to be in the bucket, after its end; null until all of them are. */
  saved: z.object({ at: z.string(), objects: z.int(), sizeBytes: z.number() }).nullable(),
  /** What kind of failure ended the run (contract/failures.ts). Absent if none did, and in old files. */
  failure: z.string().optional(),
  problems: z.array(z.string()),
});

export type RunStatus = z.output<typeof runStatusSchema>;
export type RunState = RunStatus['state'];

/** The status without throughput and latency, for those who should not be able to choose by them. */
export function withoutFigures(status: RunStatus): RunStatus {
  return {
    ...status,
    current: status.current && { ...status.current, tps: null },
    // The error of a load generator ends with the last figures that it reported.
    trials: status.trials.map((trial) => ({
      ...trial,
      measures: {},
      error: trial.error && `${trial.failure?.stage ?? 'a stage'}: hidden (--blind)`,
    })),
  };
}

/** Whether a run has ended. */
export function hasEnded({ state }: Pick<RunStatus, 'state'>): boolean {
  return state !== 'running' && state !== 'interrupted';
}

/**
 * What precedes the time in the text of a status. The stack's state machine looks for this in the first
 * `statusHeadBytes`: a status may be larger than the 256 KiB that Step Functions accepts as an answer.
 */
export const deleteAfterKey = '"deleteAfter": "';
/** What precedes the deploy, in the same part of the text. */
export const deployKey = '"deploy": "';
/** What precedes the proof that everything is saved, in the same part of the text; absent until there is one. */
export const savedKey = '"saved": {';
export const statusHeadBytes = 1024;

/** The text of the object. */
export function statusText({
  kind,
  schemaVersion,
  toolVersion,
  state,
  deploy,
  deleteAfter,
  saved,
  ...rest
}: RunStatus): string {
  return `${JSON.stringify({ kind, schemaVersion, toolVersion, state, deploy, deleteAfter, saved, ...rest }, null, 2)}\n`;
}

/** Name of the object, below the prefix of a deploy. */
export const statusName = 'status.json';

export const statusFile = {
  ...statusHead,
  what: 'the status of a run',
  schema: runStatusSchema,
  remedy: 'Check that this version of pgduet deployed the stack.',
  olderRemedy: 'Watch it with the pgduet that deployed it.',
};

/** @throws {UserError} if the text is not a status that this pgduet can read; the message names `source` */
export function parseRunStatus(text: string, source: string): RunStatus {
  return parseVersioned(text, source, statusFile);
}

/** What happens while a plan is carried out. Code that shows progress listens to it. */
export type RunEvent =
  | { kind: 'step-started'; step: Exclude<Step, MeasureStep> }
  /** Share of a step that is done on one server, from 0 to 1. */
  | { kind: 'loading'; step: 'load' | 'touch' | 'snapshot'; conditions: Conditions; done: number }
  | { kind: 'loaded'; conditions: Conditions; seconds: number }
  /** An earlier start of the run had loaded this server. */
  | { kind: 'load-skipped'; conditions: Conditions }
  /** Everything on a server that was restored from a snapshot has been read once. */
  | { kind: 'touched'; conditions: Conditions; bytes: number; seconds: number }
  /** What the user wrote is run once on a server, before the first trial. */
  | { kind: 'trying-out'; conditions: Conditions }
  | { kind: 'stage-started'; trial: PlannedTrial; stage: TrialStage }
  /** `tps` is null if it is hidden. */
  | { kind: 'progress'; trial: PlannedTrial; stage: TrialStage; elapsedSeconds: number; tps: number | null }
  | { kind: 'trial-ended'; trial: Trial }
  /**
   * `because` has the trials of the previous attempt that do not count; empty if that was cut off between two trials.
   */
  | { kind: 'block-repeated'; block: number; because: Trial[] }
  | { kind: 'trial-skipped'; trial: PlannedTrial }
  /** What a place is doing or waiting for, such as a volume that RDS is optimising, and since when. */
  | { kind: 'waiting'; text: string }
  /** What the blocks so far say about the answer, with figures. */
  | { kind: 'outlook'; text: string }
  | { kind: 'warning'; text: string };

export type OnEvent = (event: RunEvent) => void;
