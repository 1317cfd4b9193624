import * as z from 'zod';
import { variantsShape } from './comparison.ts';

const slowSchema = z.object({
  /** Of all transactions of the side. */
  transactions: z.number(),
  /** Of the time of all its transactions, counting each with the geometric middle of its class. */
  time: z.number(),
});

/**
 * How the latencies of two sides compare besides by percentiles, from the transactions of all trials that count, by
 * classes of latency.
 */
export const distributionSchema = z.object({
  ...variantsShape,
  /**
   * The share of transactions up to which those of `longerBelow` take longer, and above which they take less time than the
   * other side's, interpolated in the class where the distributions cross; null unless they cross exactly once.
   */
  crossing: z.object({ share: z.number(), longerBelow: z.string() }).nullable(),
  /**
   * Transactions as slow as fewer than 1% are of `than`, the side whose 99th percentile is in the lower class:
   * `fromSeconds` is the end of that class.
   */
  slow: z.object({ than: z.string(), fromSeconds: z.number(), baseline: slowSchema, candidate: slowSchema }),
});

export type Distribution = z.output<typeof distributionSchema>;
