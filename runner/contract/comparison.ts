import { z } from 'zod';
import { checkSchema } from './check.ts';

const attemptSchema = z.int().min(1);

/** One pair of values that the estimate used: of one block, or in a crossover of one block of either period together. */
const pairSchema = z.object({
  block: z.int().optional(),
  attempt: attemptSchema.optional(),
  /** In a crossover: one of either period, with the attempt that counts of each. */
  blocks: z.tuple([z.int(), z.int()]).optional(),
  attempts: z.tuple([attemptSchema, attemptSchema]).optional(),
  baseline: z.number(),
  candidate: z.number(),
  /** As that of the comparison. */
  change: z.number().nullable(),
});

export type CountedPair = z.output<typeof pairSchema>;

export const intervalSchema = z.object({ low: z.number(), high: z.number(), level: z.number() });

const sideSchema = z.object({
  variant: z.string(),
  median: z.number().nullable(),
  /** Blocks, or runs where there are no blocks. */
  n: z.int(),
  /** Interval of the median, from order statistics; null below six values. */
  interval: intervalSchema.nullable(),
});

export const verdicts = ['better', 'worse', 'equivalent', 'inconclusive', 'descriptive'] as const;

/** One metric of one candidate against the baseline at one level; contract: `compare --json`. */
export const comparisonSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  better: z.enum(['higher', 'lower']),
  /** True for the one declared metric that gets a verdict. */
  primary: z.boolean(),
  /** What else is varied, such as `{ clients: 16 }`; empty where nothing is. */
  conditions: z.record(z.string(), z.union([z.string(), z.number()])),
  method: z.string(),
  scope: z.enum(['these-instances', 'configurations']),
  baseline: sideSchema,
  candidate: sideSchema,
  /** Relative change of candidate against baseline (0.1 is +10 %); a difference for shares; null where it cannot be formed. */
  change: z.number().nullable(),
  /** How many times better, minus 1: the published studies' "% improvement". Negative where worse. */
  speedup: z.number().nullable(),
  /** Interval of the change. The level is the exact one that the method has for so few values: at least the one asked for. */
  interval: intervalSchema.nullable(),
  /** null for metrics that are not primary, and where a check failed (see `withheld`). */
  verdict: z.enum(verdicts).nullable(),
  /** The checks that took the verdict away, each with what it is of. */
  withheld: z.array(z.string()),
  /** What was checked of the two variants beside each other; empty where the comparison is not primary. */
  checks: z.array(checkSchema),
  /** With an inconclusive verdict: about how many blocks in all would settle it, if they vary as those so far. */
  blocksToSettle: z.int().optional(),
  /** Exactly what the estimate used, in the order of time; empty where runs belong to no blocks. */
  pairs: z.array(pairSchema),
});

export type Comparison = z.output<typeof comparisonSchema>;
export type ComparedSide = Comparison['baseline'];
export type Verdict = (typeof verdicts)[number];

/** The blocks of a pair with the attempt that counts of each. */
export function blocksOfPair({ block, attempt, blocks, attempts }: CountedPair): { block: number; attempt: number }[] {
  if (block !== undefined) return [{ block, attempt: attempt ?? 1 }];
  return (blocks ?? []).map((one, index) => ({ block: one, attempt: attempts?.[index] ?? 1 }));
}
