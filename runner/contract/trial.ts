import { z } from 'zod';
import { checkSchema } from './check.ts';
import { trialEventSchema } from './trial-event.ts';

/**
 * What was varied, by name: always the variant; further what an experiment takes several values of, such as clients. Plan,
 * order, pairing, comparison and report group by it, and know no name but `variant`.
 */
export const conditionsSchema = z.object({ variant: z.string() }).catchall(z.union([z.string(), z.number()]));

export type Conditions = z.output<typeof conditionsSchema>;
/** The conditions but for the variant: what both sides of a comparison have in common. Empty where nothing else is varied. */
export type Level = Readonly<Record<string, string | number>>;

/** What was found of a trial and is no number over time. Sources may add facts of their own; these are read by name. */
export const factsSchema = z
  .object({
    /** How the load generator says it worked, by name: what should be the same on both sides of a comparison. */
    identity: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).optional(),
    /** What is to be known of the load, such as a log that is cut off; each a phrase. */
    problems: z.array(z.string()).optional(),
    /** Whether the server started anew, or another one took over, in the trial. */
    restarted: z.boolean().optional(),
    /** Why counters are missing or not to be trusted; each a phrase. */
    counterProblems: z.array(z.string()).optional(),
    /** What happened to the server meanwhile, says whoever runs it. */
    events: z.array(trialEventSchema).optional(),
  })
  .catchall(z.unknown());

export type Facts = z.output<typeof factsSchema>;

const seriesReferenceSchema = z.object({
  /** Relative to the folder of the trial. */
  file: z.string(),
  /** Metrics that it has values of. */
  names: z.array(z.string()),
});

export const trialStages = ['reset', 'warm-up', 'measure', 'collect'] as const;
export type TrialStage = (typeof trialStages)[number];

/** One trial, whatever tool put the load on and whatever sources were asked. Times are ISO 8601 in UTC. */
export const trialSchema = z.object({
  /** Folder of the trial below `trials/`, such as `block-01-1-with-log-volume`. */
  id: z.string(),
  conditions: conditionsSchema,
  /** From 1. */
  block: z.int(),
  /** Place in its block, from 1; the same number for trials that are measured together. */
  position: z.int(),
  /** From 1; higher where its block was measured once more because a trial of it failed or was not valid. */
  attempt: z.int(),
  /** In a crossover: 2 where the log volumes had changed places. */
  period: z.union([z.literal(1), z.literal(2)]).optional(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** Only a finished trial counts. One that failed or was interrupted is data too: it stays visible. */
  state: z.enum(['finished', 'failed', 'interrupted']),
  /** What ended it before its end; null for a finished trial. */
  failure: z.object({ stage: z.enum(trialStages), error: z.string() }).nullable(),
  /** By metric name; what this version does not derive itself is as it was measured. */
  measures: z.record(z.string(), z.number().nullable()),
  series: z.array(seriesReferenceSchema),
  facts: factsSchema,
  /** The trial's part of the validity ledger. */
  checks: z.array(checkSchema),
  warnings: z.array(z.string()),
  /** Measures that count instead of the trial's own, where its start was left out (`protocol.truncate`). */
  steady: z.object({ cutSeconds: z.number(), measures: z.record(z.string(), z.number().nullable()) }).optional(),
});

export type Trial = z.output<typeof trialSchema>;

/** trial.json: written once, when the trial ends. */
export const trialFile = {
  kind: 'pgduet-trial',
  what: 'a trial of pgduet',
  schemaVersion: 2,
  schema: trialSchema,
  remedy: 'Measure again.',
  olderRemedy: 'Read it with that version, or measure again.',
};

/** later/NAME.json: what a source could tell of a trial only afterwards. */
export const laterSchema = z.object({
  collector: z.string(),
  measures: z.record(z.string(), z.number().nullable()),
  facts: factsSchema,
});

export type LaterFindings = z.output<typeof laterSchema>;

export const laterFile = {
  kind: 'pgduet-trial-later',
  what: 'a later finding on a trial of pgduet',
  schemaVersion: 2,
  schema: laterSchema,
  remedy: 'Measure again.',
  olderRemedy: 'Read it with that version, or measure again.',
};

export function levelOf({ variant: _, ...level }: Conditions): Level {
  return level;
}

/** The same text for the same level, whatever the order of its names. */
export function levelKey(level: Level): string {
  return JSON.stringify(Object.entries(level).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Such as `16 clients`; empty for a level without anything in it. */
export function levelWords(level: Level): string {
  return Object.entries(level)
    .map(([name, value]) => (typeof value === 'number' ? `${value.toLocaleString('en')} ${name}` : `${name} ${value}`))
    .join(', ');
}

/** Such as `with-log-volume` or `with-log-volume at 16 clients`. */
export function conditionsWords(conditions: Conditions): string {
  const words = levelWords(levelOf(conditions));
  return words === '' ? conditions.variant : `${conditions.variant} at ${words}`;
}
