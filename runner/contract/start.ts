import * as z from 'zod';
import { instantSchema } from './versioned-file.ts';

/**
 * How a start ended: the verdict on the declared metric if all of its comparisons have the same one, `mixed` if they
 * have several, `withheld` if a failed check took it away. Or `cut-off` or `failed` if it did not end by its plan, and
 * `unknown` if nothing recorded its end.
 */
const outcomes = [
  'better',
  'worse',
  'equivalent',
  'inconclusive',
  'descriptive',
  'withheld',
  'mixed',
  'cut-off',
  'failed',
  'unknown',
] as const;

const outcomeSchema = z.enum(outcomes);

export type Outcome = z.output<typeof outcomeSchema>;

/** Which start of its question a run is. Every start has a level of its own, so that the verdicts of all hold at once. */
export const startSchema = z.object({
  /** Beginning of the SHA-256 of the question (experiment/question.ts). */
  question: z.string().regex(/^[0-9a-f]{16}$/),
  /** Its number in the ledger, from 1. It is higher than the number of `others` + 1 if some began no block. */
  number: z.int().min(1),
  /** Level of all verdicts of this start together. */
  level: z.number().gt(0).lt(1),
  /** What became of the starts before it, from the first, without those that ended before their first block. */
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
  /** One that ended before its first block has measured nothing: it does not count. */
  z.object({ kind: z.literal('ended'), ...shape, outcome: z.enum([...outcomes, 'not-begun']) }),
]);

export type LedgerEntry = z.output<typeof ledgerEntrySchema>;
