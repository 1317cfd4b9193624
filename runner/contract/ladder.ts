import * as z from 'zod';
import { intervalSchema } from './comparison.ts';
import { levelSchema } from './trial.ts';

const estimateSchema = z.object({
  /** Hodges-Lehmann estimate of the blocks' values, on the log scale. */
  value: z.number(),
  /** Exact signed-rank interval; null if the blocks are too few. */
  interval: intervalSchema.nullable(),
});

/** What one variant did at one level. */
const pointSchema = z.object({
  /** Value of the axis, such as 16 for 16 clients. */
  level: z.number(),
  /** Number of blocks that count. */
  n: z.int(),
  /** null if no trial that counts has a value. */
  throughput: estimateSchema.nullable(),
  latency: estimateSchema.nullable(),
});

const kneeSchema = z.object({
  /** The lowest level whose throughput lies within `tolerance` of the best; null if only the highest level does. */
  level: z.number().nullable(),
  /** Interval of the knee over repeated draws of blocks (a bootstrap); null if the blocks are too few. */
  interval: intervalSchema.nullable(),
});

const bestSchema = z.object({
  /** The level that each half of the blocks chose as the best; one if both chose the same. */
  levels: z.array(z.number()),
  /** Hodges-Lehmann estimate of the blocks, each at the level that the other half chose. */
  value: z.number(),
  /** Number of blocks that count. */
  n: z.int(),
});

const atTargetSchema = z.object({
  /** The highest level up to which every level keeps to the target; null if not even the lowest does. */
  level: z.number().nullable(),
  /** The lowest (null: none) and the highest level that `level` may truly be; null if the blocks are too few. */
  levels: z.object({ low: z.number().nullable(), high: z.number().nullable(), level: z.number() }).nullable(),
  /** Throughput at `level`. */
  throughput: z.number().nullable(),
  /** Interval of the throughput, at whichever of `levels` the true one is: its level is at least the stated one. */
  interval: intervalSchema.nullable(),
});

/** What a metric of time must not exceed. */
export const latencyTargetSchema = z.strictObject({
  metric: z.enum(['latency.average', 'latency.p50', 'latency.p95', 'latency.p99']).describe('Which latency is kept.'),
  milliseconds: z.number().positive().describe('The highest latency that is acceptable.'),
});

export type LatencyTarget = z.output<typeof latencyTargetSchema>;

/** Throughput and latency of every variant over the values of one axis. */
export const ladderSchema = z.object({
  /** What is varied, such as `clients`. */
  axis: z.string(),
  /** Values of whatever else is varied besides the variant; empty if nothing is. */
  conditions: levelSchema,
  /** Metric of throughput, and metric of latency (null if trials have none). */
  throughput: z.string(),
  latency: z.string().nullable(),
  /** Part of the best throughput by which the knee may fall short: 0.05 is five percent. */
  tolerance: z.number(),
  target: latencyTargetSchema.optional(),
  variants: z.array(
    z.object({
      variant: z.string(),
      /** In the order of the levels, from the lowest. */
      points: z.array(pointSchema),
      /** null if fewer than two levels have values. */
      knee: kneeSchema.nullable(),
      /** The best level, chosen on one half of the blocks and measured on the other; null if a half has no level. */
      best: bestSchema.nullable(),
      /** null without a target. */
      atTarget: atTargetSchema.nullable(),
    }),
  ),
});

export type Ladder = z.output<typeof ladderSchema>;
export type LadderOfVariant = Ladder['variants'][number];
export type LadderPoint = LadderOfVariant['points'][number];
