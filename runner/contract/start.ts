import * as z from 'zod';
import { instantSchema } from './versioned-file.ts';

/**
 * How a start ended: the verdict on the declared metric if all of its comparisons have the same one, `mixed` if they
 * have several, `withheld` if a failed check took it away. Or `cut-off` or `failed` if it did not end by its plan,
 * `not-begun` if that was before its first block, and `unknown` if nothing recorded its end.
 */
const outcomeSchema = z.enum([
  ...(['better', 'worse', 'equivalent', 'inconclusive', 'descriptive', 'withheld', 'mixed'] as const),
  ...(['cut-off', 'failed', 'not-begun', 'unknown'] as const),
]);

export type Outcome = z.output<typeof outcomeSchema>;

/** Which start of its question a run is. Every start has a level of its own, so that the verdicts of all hold at once. */
export const startSchema = z.object({
  /** Beginning of the SHA-256 of the question: what differs between the variants, and the metric that decides. */
  question: z.string().regex(/^[0-9a-f]{16}$/),
  /** From 1. */
  number: z.int().min(1),
  /** Level of all verdicts of this start together. */
  level: z.number().gt(0).lt(1),
  /** What became of the starts before it, from the first. */
  others: z.array(outcomeSchema),
  /** SHA-256 of the line of the ledger that opened this start. */
  head: z.string(),
});

export type Start = z.output<typeof startSchema>;

const shape = {
  /** SHA-256 of the line before; null in the first line. */
  previous: z.string().nullable(),
  at: instantSchema,
  /** Number of the start, from 1. */
  start: z.int().min(1),
};

/** A line of a ledger. */
export const ledgerEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('opened'),
    ...shape,
    /** Blocks that are planned. */
    blocks: z.int().min(1),
    level: z.number().gt(0).lt(1),
    /** What the start spends of the error that all starts share, from 0 to 1. */
    share: z.number().min(0).max(1),
    /** The question in words, for people. */
    asks: z.string(),
  }),
  z.object({ kind: z.literal('block-begun'), ...shape, block: z.int(), attempt: z.int() }),
  z.object({ kind: z.literal('block-ended'), ...shape, block: z.int(), attempt: z.int() }),
  z.object({ kind: z.literal('ended'), ...shape, outcome: outcomeSchema }),
]);

export type LedgerEntry = z.output<typeof ledgerEntrySchema>;
