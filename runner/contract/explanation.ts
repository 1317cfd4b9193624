import * as z from 'zod';
import { intervalSchema, variantsShape } from './comparison.ts';

/**
 * One kind of time of a transaction, in seconds per transaction. The kinds of an explanation add up to a whole
 * transaction.
 */
const timeSchema = z.object({
  /** Such as `walFlush` (metrics/transaction-time.ts). */
  kind: z.string(),
  /** What the session of a transaction does in it, such as `waits for the flush of WAL`. */
  title: z.string(),
  /** Means over the pairs that count. */
  baseline: z.number(),
  candidate: z.number(),
  /** candidate - baseline. */
  change: z.number(),
  /** Interval of the change; null if there are too few pairs. */
  interval: intervalSchema.nullable(),
  /**
   * Part of the difference of the whole transaction: 1 for all of it, below zero if it goes the other way. The shares
   * of all kinds add up to 1. null if neither variant takes longer for a transaction, beyond chance.
   */
  share: z.number().nullable(),
});

/**
 * - holds: the interval of the change lies on the expected side of zero, and three pairs in four agree, counting the
 *   unknown ones too;
 * - open: it goes the expected way, but the pairs leave open whether that is chance;
 * - contradicted: the interval lies on the other side of zero;
 * - silent: there are no values, or no change.
 */
const linkStandings = ['holds', 'open', 'contradicted', 'silent'] as const;
export type LinkStanding = (typeof linkStandings)[number];

/** One link of a chain of causes: a metric that should differ between the slower and the faster variant. */
const linkSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  /** What the slower variant should have, in the words of a DBA. */
  claim: z.string(),
  /** The centre of each side, of which `change` is the comparison; null without values. */
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  /**
   * Change of candidate against baseline: relative, or a difference in `unit`; null without values, and if none is
   * claimed.
   */
  change: z.number().nullable(),
  changedBy: z.enum(['ratio', 'difference']),
  interval: intervalSchema.nullable(),
  /**
   * Of the pairs that have values, those in which the link moves as the mechanism says; if only a level is claimed,
   * those in which the slower variant has it.
   */
  agreeing: z.int(),
  pairs: z.int(),
  standing: z.enum(linkStandings),
});

const mechanismSchema = z.object({
  /** Such as `wal-flush`. */
  name: z.string(),
  title: z.string(),
  /**
   * observed: it was seen, and nothing was done to test it. Only an intervention that removes the cause can prove that
   * it is one.
   */
  standing: z.enum(['observed']),
  /** cause: something that differs and can carry that time; place: only where the time goes, whatever causes it. */
  role: z.enum(['cause', 'place']),
  /** Of a cause: the most that it can explain of that time, in seconds per transaction, by arithmetic. */
  size: z.number().optional(),
  /** Settings that differ and act on that time. Absent if none do. */
  settings: z
    .array(z.object({ name: z.string(), baseline: z.string().nullable(), candidate: z.string().nullable() }))
    .optional(),
  /** The kind of time in which it ends, an entry of `time`. No other mechanism of the explanation has the same. */
  kind: z.string(),
  /** From the cause to that time; only links that hold. Empty if the time itself is all that was seen. */
  links: z.array(linkSchema),
  sources: z.array(z.string()),
});

/** Where the time goes that makes one candidate faster or slower than the baseline, at one level. */
export const explanationSchema = z.object({
  ...variantsShape,
  /** The variant that takes longer for a transaction, for which the links claim something. */
  slower: z.string(),
  /**
   * Whether that is the variant with the better verdict: a metric such as a tail can get worse where the mean time gets
   * shorter. Absent if not.
   */
  opposesVerdict: z.literal(true).optional(),
  /** Pairs that `time` comes from. */
  pairs: z.int(),
  /**
   * Further pairs that are unknown: they are in no mean, and intervals assume their worst. Absent if there are none.
   */
  unknownPairs: z.int().optional(),
  /**
   * Further pairs with a trial whose sampled sessions are not those of the load (check `time of a transaction`). If they
   * are more than a quarter, `time` is empty. Absent if there are none.
   */
  brokenPairs: z.int().optional(),
  /** Kinds of time that either side has, the one that changes most first. Empty if the sessions were not sampled. */
  time: z.array(timeSchema),
  /**
   * Parallel workers that were busy on average; means over the same pairs. Their time is in no kind of `time`. Absent if
   * there were none.
   */
  workers: z.object({ baseline: z.number(), candidate: z.number() }).optional(),
  /** The one with the largest share of the difference first. */
  mechanisms: z.array(mechanismSchema),
});

export type Explanation = z.output<typeof explanationSchema>;
export type ExplainedTime = z.output<typeof timeSchema>;
export type ExplainedMechanism = z.output<typeof mechanismSchema>;
export type ExplainedLink = z.output<typeof linkSchema>;
