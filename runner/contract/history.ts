import * as z from 'zod';
import { intervalSchema, variantsShape, verdicts } from './comparison.ts';

/** Contract: `history --json`. */
export const historySchema = z.object({
  kind: z.literal('pgduet-history'),
  /** Folder of the runs. */
  folder: z.string(),
  /** The oldest first. */
  runs: z.array(
    z.object({
      /** Name of its folder. */
      run: z.string(),
      startedAt: z.string(),
      complete: z.boolean(),
      /** Why its figures do not count, in words; null if its manifest vouches for them. */
      doubt: z.string().nullable(),
      /**
       * In what its work, machine and servers differ from those of the run before it: paths and values. Runs without a
       * difference between them may be compared.
       */
      differences: z.array(z.object({ name: z.string(), then: z.string(), now: z.string() })),
      /** Of the metric that decides, each candidate at each level. */
      answers: z.array(
        z.object({
          ...variantsShape,
          metric: z.string(),
          change: z.number().nullable(),
          interval: intervalSchema.nullable(),
          verdict: z.enum(verdicts).nullable(),
          blocks: z.int(),
        }),
      ),
    }),
  ),
  /** Between which changes the next run is expected, of each answer of the newest run with equal runs before it. */
  next: z.array(z.object({ ...variantsShape, low: z.number(), high: z.number(), level: z.number() })),
});

export type History = z.output<typeof historySchema>;
export type RunOfHistory = History['runs'][number];
export type AnswerOfHistory = RunOfHistory['answers'][number];
