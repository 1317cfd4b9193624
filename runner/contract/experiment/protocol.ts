import * as z from 'zod';
import { quietMachineRules } from '../quiet-machine.ts';

/** How many times a crossover exchanges the log volumes if its number is not given. */
export const defaultCrossovers = 3;

/** @param vocabulary.resetSteps names of the steps that may be done before each trial */
export function protocolSchema({ resetSteps }: { resetSteps: readonly string[] }) {
  return z
    .strictObject({
      blocks: z
        .int()
        .min(1)
        .max(1000)
        .default(10)
        .describe(
          'Number of blocks. Every block runs each variant once. With until: precision or verdict, the maximum.',
        ),
      until: z
        .enum(['blocks', 'precision', 'verdict'])
        .default('blocks')
        .describe(
          'blocks: measures all blocks. precision: stops when the interval of the declared metric is narrow enough. verdict: stops when every candidate is better, worse or equivalent. Both stop only at one of a few looks, which are fixed beforehand and whose levels keep the overall error.',
        ),
      precision: z
        .number()
        .gt(0)
        .lt(1)
        .optional()
        .describe(
          'With until: precision, the width of the interval at which to stop: 0.05 is five percent, or five percentage points of a share. Default: decision.practicalThreshold. It stops when the interval is narrow, with or without a verdict.',
        ),
      stopForFutility: z
        .boolean()
        .optional()
        .describe(
          'With until: verdict, stop as soon as the remaining blocks have at most a 5% chance of a verdict, after six blocks at the earliest. No verdict of better or worse comes from such a stop. Default: false.',
        ),
      repeats: z
        .int()
        .min(0)
        .max(100)
        .default(2)
        .describe('How many blocks of a run may be repeated because a trial failed or is not valid.'),
      quietMachine: z
        .enum(quietMachineRules)
        .default('preferred')
        .describe(
          'Whether other programs on this machine invalidate a run. preferred: trials beside them are valid, and the answer allows for what they can explain. awaited: the same, but the run first waits until they stop, for at most ten minutes. required: a run does not begin beside programs that use 15% of the CPUs, and trials beside them are lost.',
        ),
      order: z
        .enum(['random', 'fixed', 'together'])
        .default('random')
        .describe(
          'random: one variant at a time, in an order that is drawn for each block. fixed: one at a time, in the order of the file. together: all variants of a block at the same time, from one driver. Only random gets a verdict.',
        ),
      crossover: z
        .union([
          z.boolean(),
          z.strictObject({ exchanges: z.int().min(1).max(10).describe('How often the log volumes are exchanged.') }),
        ])
        .default(false)
        .transform((declared) => (declared === true ? { exchanges: defaultCrossovers } : declared))
        .describe(
          'During the run, pgduet disables the log volume of one instance and enables that of the other, so that differences between their hosts cancel out. true: three times, so that the answer stays valid even if a host changes during the run. { exchanges: 1 }: once, which needs fewer blocks but assumes that no host changes. Deployed only, for two variants that differ in nothing else.',
        ),
      replicas: z
        .int()
        .min(1)
        .max(20)
        .default(1)
        .describe(
          'Number of instances of each variant. Each runs on its own host, and every block measures all of them. Several instances separate the effect of a configuration from the effect of a host. Deployed only; the instances cost that many times as much.',
        ),
      seed: z
        .int()
        .min(0)
        .max(0xffffffff)
        .optional()
        .describe(
          'The same seed produces the same plan. Best omitted: each run then draws its own seed and stores it with the results.',
        ),
      warmUpSeconds: z
        .number()
        .min(0)
        .max(86_400)
        .default(60)
        .describe('Warm-up: seconds of unmeasured load before each trial, with the trial’s settings.'),
      phaseSeconds: z
        .number()
        .min(0)
        .max(86_400)
        .default(0)
        .describe(
          'Lengthens the warm-up by a whole number of seconds from 0 to this. The number is drawn for each block and is the same for all of its trials, so that the blocks begin at different phases of the checkpoint cycle. If a trial is shorter than a few cycles, set this to the length of one cycle.',
        ),
      truncate: z
        .enum(['none', 'mser-5'])
        .default('none')
        .describe(
          'mser-5: throughput and average latency exclude the start of a trial if MSER-5 finds that it differs from the rest. All trials of a block exclude the same length. For trials that are limited by time and take at least 50 s.',
        ),
      settleSeconds: z.number().min(0).max(86_400).default(0).describe('Pause after loading.'),
      reset: z
        .array(z.enum(resetSteps))
        .optional()
        // Before this, loading fills in the tool's own steps.
        .transform((steps) => steps ?? [])
        .describe(
          'Steps before each trial, in this order. Default: what suits the tool (for pgbench: truncate-history, vacuum and checkpoint; for your own data: restore and checkpoint). tool-default: what pgbench itself does before a run: it vacuums its small tables and empties its history. own-reset: runs the files of workload.load.reset. restore, always before the others: restores the database as it was after loading, from a copy on the same server, which needs the space twice. restart: restarts the server, so that its cache is empty; on RDS that takes minutes. prewarm: reads tables and indexes into the server’s cache.',
        ),
    })
    .prefault({})
    .describe('How pgduet runs the trials.');
}

/** The practical threshold of relative changes, if an experiment does not declare one. */
export const defaultThreshold = 0.05;

/** @param vocabulary.declarableMetrics names of metrics that may be declared as the one that decides */
export function decisionSchema({ declarableMetrics }: { declarableMetrics: readonly string[] }) {
  return z
    .strictObject({
      metric: z
        .enum(declarableMetrics)
        .default('tps')
        .describe('The one metric that gets a verdict. Default: the throughput of the tool, such as tps for pgbench.'),
      script: z
        .string()
        .min(1)
        .optional()
        .describe(
          'If the workload has several scripts, the one that the metric is about: a built-in, or a file without .sql.',
        ),
      practicalThreshold: z
        .number()
        .gt(0)
        .lt(1)
        .default(defaultThreshold)
        .describe(
          'The smallest change that matters: 0.05 means 5%, or 5 percentage points for a share, which is compared by a difference.',
        ),
      level: z.number().gt(0.5).lt(1).default(0.95).describe('Confidence level of the intervals.'),
    })
    .prefault({})
    .describe('How the verdict is decided, declared before the first trial.');
}
