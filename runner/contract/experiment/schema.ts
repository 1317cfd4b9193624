import { z } from 'zod';
import {
  backupsSchema,
  credentialsSchema,
  driverSchema,
  expirySchema,
  monitoringSchema,
  networkSchema,
  removalSchema,
} from './deployment.ts';
import { variantSchema } from './variant.ts';
import { workloadSchema } from '../../workloads/pgbench/schema.ts';

/** Names become folder names, stack names and identifiers of RDS instances: lower case, digits and single hyphens. */
const nameSchema = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens, starting with a letter');

/** What is done to the database before each trial, in this order, so that every trial starts from the same state. */
const resetSteps = ['restore', 'truncate-history', 'vacuum', 'checkpoint', 'tool-default'] as const;

const protocolSchema = z
  .strictObject({
    blocks: z
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .describe('Every block holds each variant once. With until: precision the most that are measured.'),
    until: z
      .enum(['blocks', 'precision'])
      .default('blocks')
      .describe(
        'blocks: all of them are measured. precision: stops when the interval of the declared metric is narrow enough, at one of a few looks that are fixed beforehand and whose levels keep the error.',
      ),
    precision: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe(
        'With until: precision, the width of the interval at which to stop: 0.05 is five percent. Default: decision.practicalThreshold, which settles every case.',
      ),
    repeats: z
      .int()
      .min(0)
      .max(100)
      .default(2)
      .describe('How many blocks of a run may be measured once more because a trial failed or is not valid.'),
    order: z
      .enum(['random', 'fixed', 'together'])
      .default('random')
      .describe(
        'random: one variant at a time, order drawn from the seed and balanced over the blocks. fixed: one at a time, in the order of the file. together: all variants of a block at the same time from the one driver.',
      ),
    crossover: z
      .boolean()
      .default(false)
      .describe(
        'After half of the blocks the log volume is switched off on the one instance and on on the other, so that the hosts they run on cancel out. Deployed only, for two variants that differ in nothing else.',
      ),
    seed: z.int().min(0).max(0xffffffff).default(1).describe('The same seed gives the same plan.'),
    warmUpSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(60)
      .describe('Load before each trial that is not measured, with the trial’s own settings.'),
    truncate: z
      .enum(['none', 'mser-5'])
      .default('none')
      .describe(
        'mser-5: the start that MSER-5 finds to differ is left out of throughput and average latency, the same from all trials of a block. For trials limited by time, of 50 s at least.',
      ),
    settleSeconds: z.number().min(0).max(86_400).default(0).describe('Pause after loading.'),
    reset: z
      .array(z.enum(resetSteps))
      .default(['truncate-history', 'vacuum', 'checkpoint'])
      .describe(
        'Done to the database before each trial, in this order. tool-default is what pgbench does before a run by itself: vacuum of its small tables, and its history emptied. restore, done before the others: the database as it was after loading, from a copy on the same server, which needs the space twice.',
      ),
  })
  .prefault({})
  .describe('How the trials are arranged.');

/** Metric names that may be declared primary; contract: `compare --json`. */
export const primaryMetrics = [
  'tps',
  'runtime',
  'latency.average',
  'latency.p50',
  'latency.p95',
  'latency.p99',
] as const;

const decisionSchema = z
  .strictObject({
    metric: z.enum(primaryMetrics).default('tps').describe('The one metric that gets a verdict.'),
    practicalThreshold: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.05)
      .describe('The smallest relative change that matters: 0.05 is five percent.'),
    level: z.number().gt(0.5).lt(1).default(0.95).describe('Confidence level of the intervals.'),
  })
  .prefault({})
  .describe('What decides, declared before the first trial.');

const contrastsSchema = z
  .array(z.strictObject({ candidate: z.string(), baseline: z.string() }))
  .default([])
  .describe('Pairs of variants that are compared besides every one with the baseline. They describe, without verdict.');

const collectable = ['wal', 'checkpoints', 'database', 'settings', 'transaction-log'] as const;

const limitsSchema = z
  .strictObject({
    hours: z
      .number()
      .positive()
      .max(24 * 30)
      .optional()
      .describe('A run longer than this is refused, and stopped.'),
    dollars: z.number().positive().optional().describe('A run dearer than this is refused, and stopped.'),
  })
  .prefault({});

/**
 * One experiment with one profile applied, `common` folded into the variants and every default filled in: what everything
 * after loading works with. The file may say less: load.ts does the folding, file-schema.ts describes the file for editors.
 */
export const experimentSchema = z.strictObject({
  name: nameSchema.describe('The experiment’s name; the file is called NAME.yaml.'),
  question: z.string().min(1).describe('The question that the experiment answers, in a sentence.'),
  variants: z
    .record(nameSchema, variantSchema)
    .refine((variants) => Object.keys(variants).length >= 2, 'at least two variants')
    .describe('The configurations that are measured, by name.'),
  baseline: nameSchema.describe('The variant that the others are compared with.'),
  driver: driverSchema,
  network: networkSchema,
  monitoring: monitoringSchema,
  backups: backupsSchema,
  credentials: credentialsSchema,
  expiry: expirySchema,
  removal: removalSchema,
  workload: workloadSchema,
  protocol: protocolSchema,
  decision: decisionSchema,
  contrasts: contrastsSchema,
  collect: z
    .array(z.enum(collectable))
    .default([...collectable])
    .describe('What is recorded around and during each trial.'),
  tags: z
    .record(z.string(), z.string())
    .default({})
    .describe('Put on every AWS resource, beside experiment and owner.'),
  limits: limitsSchema,
});

export type Experiment = z.output<typeof experimentSchema>;
export type Protocol = Experiment['protocol'];
export type Decision = Experiment['decision'];
export type Contrast = z.infer<typeof contrastsSchema>[number];
export type ResetStep = (typeof resetSteps)[number];
export type Collectable = (typeof collectable)[number];
