import { z } from 'zod';
import { usualExchanges } from '../plan.ts';
import { ofScript } from '../metric.ts';
import { climbingSchema, type Storage, variantSchemaOf } from './variant.ts';
import {
  backupsSchema,
  credentialsSchema,
  dataSchema,
  driverSchema,
  expirySchema,
  graceMinutesSchema,
  monitoringSchema,
  networkSchema,
  notifySchema,
  removalSchema,
  whenDoneSchema,
} from './deployment.ts';

/** Names become folder names, stack names and identifiers of RDS instances: lower case, digits and single hyphens. */
const nameSchema = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens, starting with a letter');

/** A workload, with only the key that all tools have in common. The tool's folder below runner/workloads/ knows the rest. */
export type Workload = { tool: string } & Record<string, unknown>;

/** Which places, tools, sources and metrics there are. Only the rooms above know this. */
export interface ExperimentVocabulary {
  storage: z.ZodType<Storage>;
  workload: z.ZodType<Workload>;
  /** Names of the reset steps that may be done before each trial. */
  resetSteps: readonly string[];
  /** Names of the collectors that an experiment may leave out. */
  collectors: readonly string[];
  /** Names of metrics that may be declared as the one that decides. */
  declarableMetrics: readonly string[];
}

function protocolSchema({ resetSteps }: ExperimentVocabulary) {
  return z
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
          'With until: precision, the width of the interval at which to stop: 0.05 is five percent, or five points of a share. Default: decision.practicalThreshold, which settles every case.',
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
          'random: one variant at a time, in an order that is drawn for each block. fixed: one at a time, in the order of the file. together: all variants of a block at the same time from the one driver. Only random gets a verdict.',
        ),
      crossover: z
        .union([z.boolean(), z.strictObject({ exchanges: z.int().min(1).max(10) })])
        .default(false)
        .transform((given) => (given === true ? { exchanges: usualExchanges } : given))
        .describe(
          'In mid-run the log volume is switched off on the one instance and on on the other, so that the hosts they run on cancel out. true: three times, so that the answer also holds if a host changes in mid-run. { exchanges: 1 }: once, which takes fewer blocks and assumes that no host changes. Deployed only, for two variants that differ in nothing else.',
        ),
      replicas: z
        .int()
        .min(1)
        .max(20)
        .default(1)
        .describe(
          'Number of instances of each variant. Each runs on its own host, and every block measures all of them. With several instances, the effect of a configuration can be told from the effect of a host. Deployed only; the instances cost that many times as much.',
        ),
      seed: z
        .int()
        .min(0)
        .max(0xffffffff)
        .optional()
        .describe(
          'The same seed gives the same plan. Left out, as it should be: every run draws its own, and keeps it with the results.',
        ),
      warmUpSeconds: z
        .number()
        .min(0)
        .max(86_400)
        .default(60)
        .describe('Load before each trial that is not measured, with the trial’s own settings.'),
      phaseSeconds: z
        .number()
        .min(0)
        .max(86_400)
        .default(0)
        .describe(
          'Lengthens the warm-up by whole seconds from 0 to this, drawn for each block and the same for all of its trials, so that the blocks begin at different phases of the checkpoint cycle. Where a trial is shorter than a few cycles, give the length of one cycle.',
        ),
      truncate: z
        .enum(['none', 'mser-5'])
        .default('none')
        .describe(
          'mser-5: the start that MSER-5 finds to differ is left out of throughput and average latency, the same from all trials of a block. For trials limited by time, of 50 s at least.',
        ),
      settleSeconds: z.number().min(0).max(86_400).default(0).describe('Pause after loading.'),
      reset: z
        .array(z.enum(resetSteps))
        .optional()
        // Before this, loading fills in the tool's own steps.
        .transform((steps) => steps ?? [])
        .describe(
          'Done to the database before each trial, in this order. Left out: what suits the tool, for pgbench truncate-history, vacuum and checkpoint, and with data of your own restore and checkpoint. tool-default is what pgbench does before a run by itself: vacuum of its small tables, and its history emptied. own-reset: the files of workload.load.reset. restore, done before the others: the database as it was after loading, from a copy on the same server, which needs the space twice. restart: the server, so that its cache is empty; on RDS that takes minutes. prewarm: reads tables and indexes into the server’s cache.',
        ),
    })
    .prefault({})
    .describe('How the trials are arranged.');
}

/** The practical threshold of relative changes, where an experiment does not declare one. */
export const usualThreshold = 0.05;

function decisionSchema({ declarableMetrics }: ExperimentVocabulary) {
  return z
    .strictObject({
      metric: z
        .enum(declarableMetrics)
        .default('tps')
        .describe('The one metric that gets a verdict. Left out: the throughput of the tool, such as tps for pgbench.'),
      script: z
        .string()
        .min(1)
        .optional()
        .describe(
          'The script that the metric is of, where the workload has several: a built-in, or a file without .sql.',
        ),
      practicalThreshold: z
        .number()
        .gt(0)
        .lt(1)
        .default(usualThreshold)
        .describe(
          'The smallest change that matters: 0.05 is five percent, or five points of a share, which is compared by a difference.',
        ),
      level: z.number().gt(0.5).lt(1).default(0.95).describe('Confidence level of the intervals.'),
    })
    .prefault({})
    .describe('What decides, declared before the first trial.');
}

const groupSchema = z.strictObject({
  /** Its values with hyphens, such as `xlarge` or `xlarge-pg17`: the end of the names of its variants. */
  name: z.string(),
  /** The name of its value by axis, such as `{ class: 'xlarge' }`. */
  values: z.record(z.string(), z.string()),
  baseline: z.string(),
  /** In the order of the file, the baseline among them. */
  variants: z.array(z.string()),
});

/** Variants that are compared with one another: those with one value of each axis of a matrix. */
export type Group = z.output<typeof groupSchema>;

/** The schema of an experiment that is on record: with what its matrix became. */
export function recordedExperimentSchemaOf(experimentSchema: ExperimentSchema) {
  return experimentSchema
    .extend({ groups: z.array(groupSchema).optional() })
    .refine(
      ({ groups = [], variants }) =>
        groups.flatMap((group) => [group.baseline, ...group.variants]).every((name) => name in variants),
      'groups of its variants',
    );
}

const contrastsSchema = z
  .array(z.strictObject({ candidate: z.string(), baseline: z.string() }))
  .default([])
  .describe('Pairs of variants that are compared besides every one with the baseline. They describe, without verdict.');

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
 * Schema of an experiment with one profile applied, `common` folded into the variants, and every default filled in.
 * Everything after loading works with this form. The file may say less: load.ts does the folding, file-schema.ts describes
 * the file for editors.
 */
export function experimentSchemaOf(vocabulary: ExperimentVocabulary) {
  return z.strictObject({
    name: nameSchema.describe('The experiment’s name; the file is called NAME.yaml.'),
    question: z.string().min(1).describe('The question that the experiment answers, in a sentence.'),
    variants: z
      .record(nameSchema, variantSchemaOf(vocabulary.storage))
      .refine((variants) => Object.keys(variants).length >= 2, 'at least two variants')
      .describe('The configurations that are measured, by name.'),
    baseline: nameSchema.describe('The variant that the others are compared with.'),
    driver: driverSchema,
    network: networkSchema,
    monitoring: monitoringSchema,
    backups: backupsSchema,
    credentials: credentialsSchema,
    whenDone: whenDoneSchema,
    graceMinutes: graceMinutesSchema,
    notify: notifySchema,
    expiry: expirySchema,
    removal: removalSchema,
    data: dataSchema,
    workload: vocabulary.workload,
    protocol: protocolSchema(vocabulary),
    ladder: climbingSchema,
    decision: decisionSchema(vocabulary),
    contrasts: contrastsSchema,
    collect: z
      .array(z.enum(vocabulary.collectors))
      .default([...vocabulary.collectors])
      .describe('What is recorded around and during each trial.'),
    sampleSeconds: z
      .number()
      .min(0.02)
      .max(60)
      .optional()
      .describe(
        'How often the sessions of the server are looked at, for what they wait for. Left out: every 0.1 s on this machine, every second deployed.',
      ),
    tags: z
      .record(
        // The driver's tags are in its metadata, where EC2 allows no other characters in a key.
        z.string().regex(/^[A-Za-z0-9+=.,_:@-]+$/, 'of letters, digits and + - = . , _ : @ only'),
        z.string(),
      )
      .default({})
      .describe('Put on every AWS resource, beside experiment and owner.'),
    limits: limitsSchema,
  });
}

export type ExperimentSchema = ReturnType<typeof experimentSchemaOf>;
/** An experiment as its file has it. Only loading knows this form: it may have no seed yet. */
export type WrittenExperiment = z.output<ExperimentSchema>;
export type WrittenProtocol = WrittenExperiment['protocol'];
export type Protocol = WrittenProtocol & { seed: number };
export type Experiment = Omit<WrittenExperiment, 'protocol'> & {
  protocol: Protocol;
  /** What a matrix of the file made of its variants; absent without a matrix. */
  groups?: Group[];
};

export type Decision = Experiment['decision'];
/** Name of the metric that decides: with `script`, of that script alone. */
export function decidingMetric({ metric, script }: Pick<Decision, 'metric' | 'script'>): string {
  return script === undefined ? metric : ofScript(metric, script);
}
export type Contrast = z.infer<typeof contrastsSchema>[number];

/**
 * An experiment as a result has it. Only some of its keys are checked, since a result of a later pgduet may have other keys.
 */
export const storedExperimentSchema = z.custom<Experiment>(
  (value) => storedShape.safeParse(value).success,
  'not the definition of an experiment',
);

const storedShape = z.looseObject({
  // Names become folders: what comes from others must not lead out of them.
  name: nameSchema,
  question: z.string(),
  variants: z.record(z.string(), z.looseObject({ storage: z.looseObject({ type: z.string() }) })),
  baseline: z.string(),
  workload: z.looseObject({ tool: z.string() }),
  protocol: z.looseObject({ blocks: z.int(), order: z.string(), truncate: z.string() }),
  decision: z.looseObject({ metric: z.string(), practicalThreshold: z.number(), level: z.number() }),
});
