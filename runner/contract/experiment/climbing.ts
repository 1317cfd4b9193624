import { z } from 'zod';
import { latencyTargetSchema } from '../ladder.ts';

/** The key `ladder` of an experiment. What came of it has a schema of its own, in ../ladder.ts. */
export const climbingSchema = z
  .strictObject({
    order: z
      .enum(['random', 'rising'])
      .default('random')
      .describe(
        'Order of the levels within a block. random: drawn anew for each block. rising: from the lowest, in every block, so that what changes within a block looks like an effect of the level; say why.',
      ),
    reason: z.string().trim().min(10).optional().describe('Why the levels rise; it stands in the report.'),
    stopPastKneeAfter: z
      .int()
      .min(2)
      .max(1000)
      .optional()
      .describe(
        'After this number of blocks, levels that lie more than one above the knee of every variant are left out of the others.',
      ),
    target: latencyTargetSchema
      .optional()
      .describe('Shows the highest level up to which this latency is kept, and its throughput.'),
  })
  .prefault({})
  .describe('For workloads with a list, such as clients: how its levels are climbed.');
