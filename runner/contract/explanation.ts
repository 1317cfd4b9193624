import { z } from 'zod';
import { intervalSchema } from './comparison.ts';

/**
 * - supported: the interval of the change lies on the expected side of zero, and the blocks agree;
 * - fits: it goes the expected way, but the blocks leave open whether that is chance;
 * - contradicted: the interval lies on the other side of zero;
 * - silent: there are no values, or no change.
 */
export const standings = ['supported', 'fits', 'contradicted', 'silent'] as const;
export type Standing = (typeof standings)[number];

/** One link of a chain of causes: a metric that should differ between the slower and the faster variant. */
const linkSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  /** What the slower variant should have, in the words of a DBA. */
  claim: z.string(),
  /** Medians of the trials that count; null without values. */
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  /** Change of candidate against baseline: relative, or a difference in `unit`; null without values. */
  change: z.number().nullable(),
  changedBy: z.enum(['ratio', 'difference']),
  interval: intervalSchema.nullable(),
  /** Pairs in which the link moves as the mechanism says, of the pairs that have values. */
  agreeing: z.int(),
  pairs: z.int(),
  standing: z.enum(standings),
});

const mechanismSchema = z.object({
  /** Such as `wal-flush`. */
  name: z.string(),
  title: z.string(),
  standing: z.enum(['supported', 'fits', 'contradicted']),
  /**
   * Part of the difference in the time of a transaction that lies in the kinds of time of this mechanism, 1 for all of it.
   * Mechanisms may share kinds of time. null where it is unknown.
   */
  accountsFor: z.number().nullable(),
  interval: intervalSchema.nullable(),
  /** From the cause to the effect. */
  links: z.array(linkSchema),
  sources: z.array(z.string()),
});

/** Why one candidate is faster or slower than the baseline, at one level. The mechanism that explains most comes first. */
export const explanationSchema = z.object({
  baseline: z.string(),
  candidate: z.string(),
  conditions: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The variant for which the links claim something. */
  slower: z.string(),
  mechanisms: z.array(mechanismSchema),
});

export type Explanation = z.output<typeof explanationSchema>;
export type ExplainedMechanism = z.output<typeof mechanismSchema>;
export type ExplainedLink = z.output<typeof linkSchema>;
