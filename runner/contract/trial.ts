import { warningSchema } from './warnings.ts';
import * as z from 'zod';
import { instantSchema } from './versioned-file.ts';
import { checkSchema, failedChecks } from './check.ts';
import { externalReasonSchema } from './external-reasons.ts';
import { loggedCheckpointSchema, standbySchema, statementSchema } from './server-facts.ts';
import { withNoun } from './format.ts';
import { identityValue } from './earlier-words.ts';
import { loadWords } from './load-words.ts';

/** Something that happened to the server, as its operator reports it, such as an event of RDS. */
const trialEventSchema = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  kind: z.enum(['backup', 'failover', 'maintenance', 'memory', 'recovery', 'restart', 'storage', 'credits', 'other']),
  /** In the words of the source. */
  text: z.string(),
});

export type TrialEvent = z.output<typeof trialEventSchema>;

/** Other programs of one name that ran on the machine of the load during a trial. */
const neighbourSchema = z.object({
  name: z.string(),
  /** How many processors they kept busy, on average. */
  processors: z.number().nonnegative(),
});

export type Neighbour = z.output<typeof neighbourSchema>;

/**
 * What was varied, by name: always the variant, and anything else for which an experiment has several values, such as
 * clients. Plan, order, pairing, comparison and report group trials by it. The only name that they know is `variant`.
 * With `protocol.replicas`, `replica` is the number of the server among those of its variant, from 1
 * (contract/server.ts). With a matrix, `group` is the name of the group in which the variant is compared. What names a
 * level in words is in this one file with the trial, since hardly anybody needs one without the other.
 */
export const conditionsSchema = z.object({ variant: z.string() }).catchall(z.union([z.string(), z.number()]));

export type Conditions = z.output<typeof conditionsSchema>;
/** The conditions without the variant, which both sides of a comparison share. Empty if only the variant is varied. */
export const levelSchema = z.record(z.string(), z.union([z.string(), z.number()]));
export type Level = Readonly<z.output<typeof levelSchema>>;

/** Values by name: numbers, ids (contract/load-words.ts), and what the load generator itself says. */
const identitySchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.null()]))
  .transform((facts) =>
    Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, identityValue(name, value)])),
  );

/**
 * What was found about a trial that is not a measure. Sources may add facts of their own. Other code reads the facts
 * below by name.
 */
const factsSchema = z
  .object({
    /** How the load generator says that it worked, by name. It should be the same on both sides of a comparison. */
    identity: identitySchema.optional(),
    /** What a reader must know about the load, such as a log that is cut off; each is a phrase. */
    problems: z.array(z.string()).optional(),
    /** Whether the server restarted, or another one took over, during the trial. */
    restarted: z.boolean().optional(),
    /** Why counters are missing or cannot be trusted; each is a phrase. */
    counterProblems: z.array(z.string()).optional(),
    /** Other people's sessions in the measured database when the trial began or ended; each is a phrase. */
    otherSessions: z.array(z.string()).optional(),
    /**
     * What happened to the server from the start of the warm-up to the end of the trial, as its operator reports it.
     */
    events: z.array(trialEventSchema).optional(),
    /**
     * What the operator of the server did to its volumes when the trial ended, each a phrase, such as
     * `storage initializing, 40% done`; empty if nothing.
     */
    storageWork: z.array(z.string()).optional(),
    /** The statements of the measured database that took the most time, the costliest first. */
    statements: z.array(statementSchema).optional(),
    /** Plans of these statements without costs, as EXPLAIN prints them with the constants that were sent, by `queryId`. */
    plans: z.record(z.string(), z.string()).optional(),
    /** Generic plans of those with parameters whose constants were not seen. The server may have carried out others. */
    genericPlans: z.record(z.string(), z.string()).optional(),
    /** Other programs on the machine of the load, the busiest first. */
    neighbours: z.array(neighbourSchema).optional(),
    /**
     * Threads of other programs that could run throughout the trial, by their names (collect/driver/threads.ts); each with
     * the share of all processors that it had.
     */
    alwaysRunnable: z.record(z.string(), z.number().nonnegative()).optional(),
    /** Standbys that were connected. */
    standbys: z.array(standbySchema).optional(),
    /** Checkpoints that were under way in the trial, in the order in which they began. */
    checkpoints: z.array(loggedCheckpointSchema).optional(),
    /** What the server calls wait events, by the name that pgduet uses for them; only if the two differ. */
    waitEvents: z.record(z.string(), z.string()).optional(),
    /** Wait events that no version has which pgduet knows; absent if there are none, or if the server's version is known. */
    unknownWaitEvents: z.array(z.string()).optional(),
    /**
     * Sources that reported nothing about the trial, by the name of the collector; each with the reason, as a phrase.
     */
    absent: z.record(z.string(), z.string()).optional(),
  })
  .catchall(z.unknown());

export type Facts = z.output<typeof factsSchema>;

/** Name of a file or folder. Files from someone else must not lead out of the folder of their run. */
export const fileNameSchema = z.string().regex(/^\w[\w.-]*$/, 'a name of a file, without a path');

const seriesReferenceSchema = z.object({
  /** In the folder of the trial, or in the folder `later` in it. */
  file: z.string().regex(/^(later\/)?\w[\w.-]*$/, 'a name of a file, without a path but later/'),
  /** Metrics whose values the file holds. */
  names: z.array(z.string()),
});

const trialStages = ['reset', 'warm-up', 'measure', 'collect'] as const;
export type TrialStage = (typeof trialStages)[number];

/** One trial, with whatever tool and whatever sources of evidence. Times are ISO 8601 in UTC. */
export const trialSchema = z.object({
  /** Folder of the trial below `trials/`, such as `block-01-1-with-log-volume`. */
  id: fileNameSchema,
  conditions: conditionsSchema,
  /** From 1. */
  block: z.int(),
  /** Place in its block, from 1; the same number for trials that are measured together. */
  position: z.int(),
  /** Counts from 1; higher if its block was measured again because one of its trials failed or was not valid. */
  attempt: z.int(),
  /** In a crossover: from 1, see `crossoversOf` (plan.ts). Absent without a crossover. */
  period: z.int().min(1).optional(),
  /** When its warm-up began; absent without one. */
  warmUpStartedAt: instantSchema.optional(),
  /** When the measured part began. */
  startedAt: instantSchema,
  endedAt: instantSchema,
  /** How long the reset before it took; absent if the reset did not finish. */
  resetSeconds: z.number().optional(),
  /** How long each step of the reset took, in the order in which they were carried out; absent without any. */
  resetSteps: z.array(z.object({ step: z.string(), seconds: z.number() })).optional(),
  /** Only a finished trial counts. One that failed or was interrupted is data too: it stays visible. */
  state: z.enum(['finished', 'failed', 'interrupted']),
  /**
   * Whether its throughput and latency were shown during the run. Hidden ones can still be read from its files. Absent
   * in files of earlier versions, which showed them.
   */
  figures: z.enum(['shown', 'hidden']).optional(),
  /** Whether pgduet served a page about the run while it was measured (`--live`). Absent if not. */
  live: z.boolean().optional(),
  /** Why it ended early; null for a finished trial. */
  failure: z
    .object({
      stage: z.enum(trialStages),
      /** What kind of failure it is: a FailureCode (contract/failures.ts). Absent in old files. */
      code: z.string().optional(),
      error: z.string(),
      /** Why it failed, if the cause is outside the servers. Any other failed trial is a loss of its side. */
      outside: externalReasonSchema.optional(),
    })
    .nullable(),
  /** Values by metric name. Values that this version does not derive are kept as they were measured. */
  measures: z.record(z.string(), z.number().nullable()),
  series: z.array(seriesReferenceSchema),
  facts: factsSchema,
  /** The trial's part of the validity ledger. */
  checks: z.array(checkSchema),
  warnings: z.array(warningSchema),
  /**
   * Bytes of its other files when it was saved, by their names in its folder. A file that is shorter was cut off, such as
   * by a power cut. Absent if pgduet was killed before it saved the trial, and in old files.
   */
  files: z.record(z.string(), z.int().nonnegative()).optional(),
  /** Measures that count instead of the trial's own if its start was left out (`protocol.truncate`). */
  steady: z.object({ cutSeconds: z.number(), measures: z.record(z.string(), z.number().nullable()) }).optional(),
});

export type Trial = z.output<typeof trialSchema>;

/**
 * What identifies the server that a trial ran on: in some periods of a crossover, the variants have exchanged servers.
 */
export type TrialPlacement = Pick<Trial, 'conditions' | 'period'>;

/**
 * Returns what happened to the server of a trial between two moments, as its operator reports it.
 *
 * @throws {UserError} if the events cannot be read
 */
export type EventsBetween = (trial: TrialPlacement, from: Date, to: Date) => Promise<TrialEvent[]>;

/**
 * Returns what the operator of a server does to its volumes now, as phrases; empty if nothing.
 *
 * @throws {UserError} if it cannot be read
 */
export type StorageWork = (trial: TrialPlacement) => Promise<string[]>;

export function inOrderOfEnd(trials: readonly Trial[]): Trial[] {
  return [...trials].sort((a, b) => (a.endedAt < b.endedAt ? -1 : a.endedAt > b.endedAt ? 1 : 0));
}

/** trial.json: written once, when the trial ends. */
export const trialFile = {
  kind: 'pgduet-trial',
  what: 'a trial of pgduet',
  schemaVersion: 2,
  schema: trialSchema,
  remedy: 'Rerun.',
  olderRemedy: 'Read it with that version, or rerun.',
};

/** later/NAME.json: what a source could report about a trial only some time after it. */
const laterSchema = z.object({
  collector: fileNameSchema,
  measures: z.record(z.string(), z.number().nullable()),
  facts: factsSchema,
  /** Its series, in its own file beside this one. Absent for sources that have none, and in old files. */
  series: z.array(seriesReferenceSchema).optional(),
});

export type LaterFindings = z.output<typeof laterSchema>;

/** File in the folder of a trial with the series that a collector found later. */
export function laterSeriesFile(collector: string): string {
  return `later/${collector}.parquet`;
}

export const laterFile = {
  kind: 'pgduet-trial-later',
  what: 'a later finding on a trial of pgduet',
  schemaVersion: 2,
  schema: laterSchema,
  remedy: 'Rerun.',
  olderRemedy: 'Read it with that version, or rerun.',
};

export function levelOf({ variant: _, ...level }: Conditions): Level {
  return level;
}

/** The level at which variants are compared: all that was varied but the server. */
export function comparedLevel({ replica: _, ...level }: Level): Level {
  return level;
}

/** A text that is the same for the same level, in whatever order its names are. */
export function levelKey(level: Level): string {
  return JSON.stringify(Object.entries(level).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What stands before a value. Other numbers stand before the name of their axis. */
const conditionWords: Readonly<Record<string, string>> = {
  replica: 'replica',
  scale: 'scale',
  queryMode: 'query mode',
  connects: 'connecting',
  begins: 'beginning',
};

/**
 * Such as `16 clients` or `replica 2, 16 clients`; empty for an empty level. The group is left out, because names of
 * variants contain it. If no variant is named beside the level, use `levelPhrase`.
 */
export function levelWords({ group: _, ...level }: Level): string {
  return Object.entries(level)
    .map(([name, value]) => {
      if (typeof value !== 'number' || name in conditionWords) {
        return `${conditionWords[name] ?? name} ${loadWords(name, value).toLocaleString('en')}`;
      }
      if (name === 'rate') return `${withNoun(value, 'transaction')} per second offered`;
      return withNoun(value, name.replace(/s$/, ''), name);
    })
    .join(', ');
}

/** What follows the name of something at a level, such as ` on replica 2 at 16 clients`; empty for an empty level. */
export function levelSuffix({ replica, ...level }: Level): string {
  const words = levelWords(level);
  return `${replica === undefined ? '' : ` on replica ${replica}`}${words === '' ? '' : ` at ${words}`}`;
}

/** What follows the name of something that covers all variants of a level, such as ` of xlarge at 16 clients`. */
export function levelPhrase(level: Level): string {
  const { group } = level;
  return `${group === undefined ? '' : ` of ${group}`}${levelSuffix(level)}`;
}

/** Such as `with-log-volume` or `with-log-volume at 16 clients`. */
export function conditionsWords(conditions: Conditions): string {
  return `${conditions.variant}${levelSuffix(levelOf(conditions))}`;
}

/** Why a trial does not count, such as `log-volume: clock: it was set`; for a trial that failed, the error. */
export function troubleOf({ state, conditions, failure, checks }: Trial): string {
  const whose = conditionsWords(conditions);
  if (state !== 'finished') return `${whose} ${state}${failure ? ` in ${failure.stage}: ${failure.error}` : ''}`;
  const failed = failedChecks(checks);
  if (failed.length === 0) return `${whose} had finished`;
  return `${whose}: ${failed.map(({ name, finding }) => `${name}: ${finding}`).join(', ')}`;
}
