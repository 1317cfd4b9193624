import * as z from 'zod';
import { intervalSchema, variantsShape } from './comparison.ts';

/**
 * Ways of estimating a change again:
 *
 * - planned: as the answer is;
 * - without-start: without the first `seconds` of every trial, a quarter of the longest;
 * - during-checkpoints, between-checkpoints: only the seconds with a checkpoint under way throughout, or with none at any
 *   moment;
 * - without-outlier: without the pairs that the check of outliers names;
 * - totals: the ratio of the sums over all pairs;
 * - leave-one-out: without each pair in turn.
 *
 * The ways by seconds use whole seconds, without the first and the last of a trial. One that would keep all of them is left out.
 */
const waysToEstimate = [
  'planned',
  'without-start',
  'during-checkpoints',
  'between-checkpoints',
  'without-outlier',
  'totals',
  'leave-one-out',
] as const;

const variationSchema = z.object({
  way: z.enum(waysToEstimate),
  /** On the scale of the comparison's `change`; of leave-one-out, the estimate that is farthest from the planned one. */
  change: z.number(),
  /** null if there are too few pairs, if blocks are unknown, and for totals and leave-one-out. */
  interval: intervalSchema.nullable(),
  /** How many pairs the estimate used: of seconds, the pairs whose trials both have enough of them. */
  pairs: z.int(),
  /** Only of leave-one-out: each estimate, in the order of the pairs that are left out. */
  changes: z.array(z.number()).optional(),
  /**
   * The pairs that are left out. Of leave-one-out, the one without which the estimate moves most, or several if they move it
   * equally; absent if all do.
   */
  leftOut: z.string().optional(),
  /** Only without-start: the seconds that are left out of each trial, by its own clock. */
  seconds: z.int().optional(),
});

export type Variation = z.output<typeof variationSchema>;

/** How one answer depends on the way in which it is computed. Nothing here was planned, so nothing here decides. */
export const robustnessSchema = z.object({
  ...variantsShape,
  /** The planned one first; those that cannot be computed are left out. */
  variations: z.array(variationSchema),
});

export type Robustness = z.output<typeof robustnessSchema>;
