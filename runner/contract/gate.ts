import * as z from 'zod';
import { intervalSchema } from './comparison.ts';

export const gateOutcomes = ['pass', 'fail', 'no-verdict'] as const;

/**
 * - better, equivalent, worse: the verdict;
 * - not-worse: no verdict, or a small loss, but a loss beyond the threshold is excluded;
 * - slightly-worse: worse beyond noise, but the estimate is within the threshold, and the interval is not;
 * - inconclusive: a loss beyond the threshold is not excluded;
 * - withheld: a check failed, or the run ended too early;
 * - nothing-differs: what is measured is the same in both commits, so nothing was measured.
 */
export const gateReasons = [
  'better',
  'equivalent',
  'not-worse',
  'worse',
  'slightly-worse',
  'inconclusive',
  'withheld',
  'nothing-differs',
] as const;

const commitSchema = z.object({
  /** As the user named it. */
  ref: z.string(),
  /** Full hash of the commit. */
  commit: z.string(),
});

/** Contract: `gate --json`. */
export const gateSchema = z.object({
  kind: z.literal('pgduet-gate'),
  experiment: z.string(),
  outcome: z.enum(gateOutcomes),
  because: z.enum(gateReasons),
  base: commitSchema,
  head: commitSchema,
  metric: z.string(),
  /** The largest loss that passes: 0.05 is 5%. */
  threshold: z.number(),
  /** Head against base; null if nothing was measured. */
  change: z.number().nullable(),
  interval: intervalSchema.nullable(),
  /** Base against itself. */
  control: z.object({ change: z.number().nullable(), interval: intervalSchema.nullable() }).nullable(),
  /** The smallest regression that was found with a chance of 80% before the run began; null if nothing told it. */
  finds: z.number().nullable(),
  blocks: z.int(),
  /** Folder of the run; null if nothing was measured. */
  run: z.string().nullable(),
});

export type Gate = z.output<typeof gateSchema>;
export type GateFinding = Pick<Gate, 'outcome' | 'because'>;
