import * as z from 'zod';
import { headShape, instantSchema } from './versioned-file.ts';
import { comparisonSchema } from './comparison.ts';
import { earlierStartsSchema } from './earlier-starts.ts';
import { distributionSchema } from './distribution.ts';
import { explanationSchema } from './explanation.ts';
import { logVolumeSwitchSchema } from './server-facts.ts';
import { ladderSchema } from './ladder.ts';
import { robustnessSchema } from './robustness.ts';
import { trialSchema } from './trial.ts';
import { stopReasonSchema } from './stop.ts';
import { runFile, runShape } from './run-record.ts';

/** One try to load one server. A server that fails is tried again. */
const serverLoadSchema = z.object({
  /** Name of the server (contract/server.ts). */
  server: z.string(),
  startedAt: instantSchema,
  endedAt: instantSchema,
  /** `loaded-before`: an earlier start of the run had loaded it, which was proved on the server. */
  outcome: z.enum(['loaded', 'failed', 'loaded-before']),
  /** Why it failed. */
  error: z.string().optional(),
  /** What kind of failure that is: a FailureCode (contract/failures.ts). Absent in old files. */
  failure: z.string().optional(),
  /** Settings that new sessions have since then: loading may set those of the database or a role. Absent if none. */
  settings: z.record(z.string(), z.tuple([z.string(), z.string()])).optional(),
  /** What `prepare` of its variant ran after the load; absent if nothing. */
  prepared: z.array(z.object({ sql: z.string(), seconds: z.number() })).optional(),
});

export type ServerLoad = z.output<typeof serverLoadSchema>;

const touchedServerSchema = z.object({
  server: z.string(),
  /** Size of all tables and indexes that were read. */
  bytes: z.number(),
  seconds: z.number(),
});

const keptSnapshotSchema = z.object({
  /** What `data.snapshot` of an experiment names. */
  name: z.string(),
  arn: z.string().nullable(),
  /** DBInstanceIdentifier or DBClusterIdentifier that it was taken from. */
  source: z.string(),
  /** The command that deletes it. */
  deleteCommand: z.string(),
});

export type KeptSnapshot = z.output<typeof keptSnapshotSchema>;

/** A step of the plan that was carried out, other than a trial. Each is a line of steps.jsonl. */
export const carriedOutStepSchema = z.object({
  step: z.enum(['create', 'load', 'touch', 'settle', 'snapshot', 'cross-over']),
  startedAt: instantSchema,
  endedAt: instantSchema,
  /** Only for a cross-over: how each log volume was switched. */
  switches: z.array(logVolumeSwitchSchema).optional(),
  /** Only for a load: every try of every server, in the order in which they ended. */
  loads: z.array(serverLoadSchema).optional(),
  /** Only for a touch: what each server read from its volume, which came from a snapshot, and how long that took. */
  touched: z.array(touchedServerSchema).optional(),
  /** Only for a snapshot: what was kept, and what AWS bills until someone deletes it. */
  snapshot: keptSnapshotSchema.optional(),
  /** Why the step did not finish. Absent if it did. */
  error: z.string().optional(),
  /** What kind of failure that is: a FailureCode. Absent in old files. */
  failure: z.string().optional(),
});

export type CarriedOutStep = z.output<typeof carriedOutStepSchema>;

export const resultHead = { kind: 'pgduet-result', schemaVersion: 2 } as const;

export const resultSchema = z.object({
  ...headShape(resultHead),
  ...runShape,
  /** null if nothing said that the run ended, such as after a power loss. */
  endedAt: instantSchema.nullable(),
  /** False if trials of the plan are missing: interrupted, stopped, or failed. */
  complete: z.boolean(),
  /** With `until: precision` or `verdict`, the block after which the run stopped. */
  stoppedAfterBlock: z.int().optional(),
  /**
   * What ended the run early: a limit of the experiment, too many blocks measured in vain, or, with `stoppedAfterBlock`,
   * that an answer had become unlikely.
   */
  stoppedBy: stopReasonSchema.optional(),
  /** Steps that were carried out besides the trials. */
  steps: z.array(carriedOutStepSchema),
  /** All trials in the order in which they were measured, finished or not. */
  trials: z.array(trialSchema),
  comparisons: z.array(comparisonSchema),
  /**
   * What does not match the manifest of the run, in a result that is shown all the same; absent if everything read
   * matches.
   */
  unverified: z.array(z.string()).optional(),
  /** What earlier starts of the same experiment found here; absent if there are none. */
  earlier: z.array(earlierStartsSchema).optional(),
  /** Throughput over what was varied besides the variant; absent in results of earlier versions. */
  ladders: z.array(ladderSchema).optional(),
  /** Why candidates are faster or slower; absent in results of earlier versions. */
  explanations: z.array(explanationSchema).optional(),
  /** How whole distributions of latency compare; only if the classes of all transactions are known. */
  distributions: z.array(distributionSchema).optional(),
  /** Whether the answers depend on the way in which they are computed; absent in results of earlier versions. */
  robustness: z.array(robustnessSchema).optional(),
});

/** result.json: the run with its trials and comparisons, for scripts to read. */
export type Result = z.output<typeof resultSchema>;

export const resultFile = {
  ...resultHead,
  what: 'a result of pgduet',
  // The result of twelve trials has a quarter of a mebibyte.
  maxBytes: 64 * 2 ** 20,
  schema: resultSchema,
  remedy: runFile.remedy,
  olderRemedy: runFile.olderRemedy,
};
