import * as z from 'zod';
import { intervalSchema, variantsShape } from './comparison.ts';
import { instantSchema } from './versioned-file.ts';

/**
 * What earlier starts of the same experiment found by the declared metric, for one candidate at one level. A start is
 * its servers made, loaded and measured once.
 */
export const earlierStartsSchema = z.object({
  metric: z.string(),
  ...variantsShape,
  /** From the oldest, without this start. Changes are those of the starts' own comparisons. */
  starts: z.array(
    z.object({
      startedAt: instantSchema,
      change: z.number(),
      interval: intervalSchema.nullable(),
    }),
  ),
  /**
   * Starts that do not count because some of their blocks are unknown, so that their change is that of the known blocks
   * alone: the number of such earlier starts, and whether this start is one. Absent if there are none.
   */
  leftOut: z.object({ earlier: z.int(), own: z.boolean() }).optional(),
  /**
   * The interval in which the change of the next start is expected, from `count` starts including this one; null if
   * there are fewer than three. Below eight starts it is their range, and `level` the chance that it holds the next.
   */
  next: z.object({ ...intervalSchema.shape, count: z.int() }).nullable(),
  /**
   * The chance that the blocks of the starts, this one included, would differ at least as much from start to start if
   * all came from one start; null if there is only one.
   */
  chance: z.number().nullable(),
});

export type EarlierStarts = z.output<typeof earlierStartsSchema>;
