import * as z from 'zod';
import { effects } from './check.ts';
import { comparisonSchema, intervalSchema, scopes, verdicts } from './comparison.ts';
import { robustnessSchema } from './robustness.ts';
import { runHashesSchema } from './run-hashes.ts';
import { headShape, instantSchema } from './versioned-file.ts';
import { levelSchema } from './trial.ts';

/** The schema of report.json: what the report says first. docs/results.md describes every field. */

export const reportHead = { kind: 'pgduet-report', schemaVersion: 1 } as const;

const verdictSchema = z.enum(verdicts).nullable();

/** A number with the ends of its interval; null where there is none. */
const spanSchema = z.object({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() });

/** What one server costs a month, in US dollars. The ends differ if sources disagree on a price. */
const dollarsSchema = z.object({ low: z.number(), high: z.number() }).nullable();

/** One line of the table of figures: absolute values before and after, in base units. */
const figureSchema = comparisonSchema
  .pick({ metric: true, unit: true, better: true, change: true, interval: true })
  .extend({
    /** Name for people. */
    label: z.string(),
    /** Whether it was declared to decide, got worse although it does not, or only describes. */
    role: z.enum(['decides', 'got-worse', 'describes']),
    baseline: z.number().nullable(),
    candidate: z.number().nullable(),
  });

/** What a candidate is worth for the money. Changes are relative. */
const priceSchema = z.object({
  dollarsPerMonth: z.object({ baseline: dollarsSchema, candidate: dollarsSchema }),
  /** Of the price. */
  change: spanSchema,
  /** Of the throughput that a dollar buys; null if no verdict was given. */
  perDollar: spanSchema.nullable(),
  /** Further transactions a second for each further 100 dollars a month; null if it costs no more, or without a verdict. */
  tpsPer100Dollars: spanSchema.nullable(),
});

const answerSchema = z.object({
  candidate: z.string(),
  /** The level, such as `{ clients: 16 }`; empty if nothing but the variant is varied. */
  conditions: levelSchema,
  verdict: verdictSchema,
  headline: z.string(),
  evidence: z.string(),
  /** null if nothing was compared, as all below. */
  baseline: z.string().nullable(),
  metric: z.string().nullable(),
  scope: z.enum(scopes).nullable(),
  /** Relative, or a difference for shares; null if there is no verdict, as the interval. */
  change: z.number().nullable(),
  interval: intervalSchema.nullable(),
  /** How many pairs the estimate used. */
  pairs: z.int(),
  /** Why there is no verdict. */
  withheld: comparisonSchema.shape.withheld,
  /** What other programs took, and whether the verdict holds only beside them; null if they took nothing that counts. */
  beside: comparisonSchema.shape.beside.unwrap().nullable(),
  figures: z.array(figureSchema),
  /** What a new run would take to settle an inconclusive comparison; empty if that is not known, or it is settled. */
  settle: z.array(
    z.object({
      /** Of a verdict: 0.5 is even. */
      chance: z.number(),
      /** In all. */
      blocks: z.int(),
      /** Of measuring them; null if unknown. */
      seconds: z.number().nullable(),
    }),
  ),
  /** Names of the metrics that got worse beyond chance; null if there is no verdict, so that nobody looked. */
  gotWorse: z.array(z.string()).nullable(),
  /** null if there is no price. */
  price: priceSchema.nullable(),
  /** Seconds of a transaction by kind of time, which add up to all of it; null without an explanation. */
  time: z.array(z.object({ kind: z.string(), baseline: z.number(), candidate: z.number() })).nullable(),
  /** The same estimate in other ways; null in results of earlier versions, and if nothing is claimed. */
  robustness: robustnessSchema.shape.variations.nullable(),
});

export const reportSchema = z.object({
  ...headShape(reportHead),
  /** Of the pgduet that wrote the report. */
  toolVersion: z.string(),
  question: z.string(),
  run: z.object({
    experiment: z.string(),
    profile: z.string(),
    seed: z.int(),
    /** Of the pgduet that measured. */
    toolVersion: z.string(),
    startedAt: instantSchema,
    endedAt: instantSchema.nullable(),
    /** False if trials are missing. A run that stopped by its own rule is complete. */
    complete: z.boolean(),
    /** The block after whose look such a run stopped; null if it did not. */
    stoppedAfterBlock: z.int().nullable(),
  }),
  /** The one answer over all candidates and levels. */
  verdict: verdictSchema,
  headline: z.string(),
  evidence: z.string(),
  /** What the answer cannot show. */
  remains: z.string(),
  /** Smaller changes were declared too small to matter: relative, or a difference for shares. */
  practicalThreshold: z.number(),
  /** One for each candidate at each level. */
  answers: z.array(answerSchema),
  /** What a transaction of a load that only reads takes, as medians of valid trials in base units; empty if it may write. */
  reads: z.array(z.object({ metric: z.string(), baseline: z.number(), candidate: z.number() })),
  /** What a reader should know before relying on the answer, the gravest first, with what each could change. */
  doubts: z.array(
    z.object({
      /** Of the check that says so, or of the kind of doubt: docs/reference/checks.md. Absent in files of earlier versions. */
      id: z.string().optional(),
      couldChange: z.enum(effects),
      /** Id of the check that says so; absent if none does. */
      check: z.string().optional(),
      sentence: z.string(),
    }),
  ),
  repeat: z.object({
    /** To be carried out in the folder of the run, as `verify`. */
    command: z.string(),
    verify: z.string(),
  }),
  sha256: runHashesSchema,
});

/** report.json: what the report says first, for scripts to read. */
export type Report = z.output<typeof reportSchema>;
