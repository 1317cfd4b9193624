import * as z from 'zod';
import { scriptMetric } from '../metric.ts';
import { climbingSchema, type Pooler, type Storage, variantSchemaOf, type VariantScript } from './variant.ts';
import {
  backupsSchema,
  credentialsSchema,
  dataSchema,
  driverSchema,
  encryptionSchema,
  expirySchema,
  graceMinutesSchema,
  monitoringSchema,
  networkSchema,
  notifySchema,
  removalSchema,
  whenDoneSchema,
} from './deployment.ts';
import { protocolSchema, decisionSchema } from './protocol.ts';

/** Names become folder names, stack names and identifiers of RDS instances: lower case, digits and single hyphens. */
const nameSchema = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens, starting with a letter');

/**
 * A workload, with only the key that all tools have in common. The tool's folder below runner/workloads/ knows the
 * rest.
 */
export type Workload = { tool: string } & Record<string, unknown>;

/** Which places, tools, sources and metrics there are. Only the rooms above know this. */
export interface ExperimentVocabulary {
  storage: z.ZodType<Storage>;
  poolers: z.ZodType<Pooler>;
  /** Names of the ways in which a server may be deployed, the default first. */
  deployments: readonly string[];
  workload: z.ZodType<Workload>;
  scripts: z.ZodType<VariantScript[]>;
  /** Names of the reset steps that may be done before each trial. */
  resetSteps: readonly string[];
  /** Names of the collectors that an experiment may leave out. */
  collectors: readonly string[];
  /** Names of metrics that may be declared as the one that decides. */
  declarableMetrics: readonly string[];
}

const groupSchema = z.strictObject({
  /** Its values joined by hyphens, such as `xlarge` or `xlarge-pg17`: the names of its variants end with this. */
  name: z.string(),
  /** The name of its value by axis, such as `{ class: 'xlarge' }`. */
  values: z.record(z.string(), z.string()),
  baseline: z.string(),
  /** In the order of the file, the baseline among them. */
  variants: z.array(z.string()),
});

/** Variants that are compared with one another: those with the same value on each axis of a matrix. */
export type Group = z.output<typeof groupSchema>;

/** The schema of a recorded experiment: with the groups that its matrix became. */
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
  .array(
    z.strictObject({
      candidate: z.string().describe('The variant that is compared.'),
      baseline: z.string().describe('The variant that it is compared with.'),
    }),
  )
  .default([])
  .describe('Extra pairs of variants to compare, besides each variant with the baseline. They get no verdict.');

const limitsSchema = z
  .strictObject({
    hours: z
      .number()
      .positive()
      .max(24 * 30)
      .optional()
      .describe('pgduet rejects a run that would take longer than this, and stops one that does.'),
    dollars: z
      .number()
      .positive()
      .optional()
      .describe(
        'pgduet rejects a run that would cost more than this, and stops one that does. The stack is gone half an hour later at most, or 45 minutes after a deploy that comes shortly before. Nothing deletes a stack with whenDone: keep and an expiry of kind never.',
      ),
  })
  .prefault({})
  .describe('How long a run may take, and what it may cost.');

/**
 * Schema of an experiment with one profile applied, `common` folded into the variants, and every default filled in.
 * Everything after loading works with this form. The file may say less: load.ts does the folding, file-schema.ts
 * describes the file for editors.
 */
export function experimentSchemaOf(vocabulary: ExperimentVocabulary) {
  return z.strictObject({
    name: nameSchema.describe('The experiment’s name; the file is NAME.yaml.'),
    question: z.string().min(1).describe('The question that the experiment answers, in a sentence.'),
    variants: z
      .record(nameSchema, variantSchemaOf(vocabulary))
      .refine((variants) => Object.keys(variants).length >= 2, {
        error: 'at least two variants',
        params: { code: 'too-few-variants' },
      })
      .describe('The configurations that are measured, by name.'),
    baseline: nameSchema.describe('The variant that the others are compared with.'),
    driver: driverSchema,
    network: networkSchema,
    monitoring: monitoringSchema,
    backups: backupsSchema,
    credentials: credentialsSchema,
    encryption: encryptionSchema,
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
      .describe('Data to collect before, during and after each trial.'),
    sampleSeconds: z
      .number()
      .min(0.02)
      .max(60)
      .optional()
      .describe(
        'How often pgduet samples what the sessions of the server wait for. Default: every 0.1 s on this machine, every second when deployed.',
      ),
    tags: z
      .record(
        // The driver's tags are in its metadata, where EC2 allows no other characters in a key.
        z.string().regex(/^[A-Za-z0-9+=.,_:@-]+$/, 'letters, digits and + - = . , _ : @ only'),
        z.string(),
      )
      .default({})
      .describe('Tags of every AWS resource, besides experiment and owner.'),
    limits: limitsSchema,
  });
}

export type ExperimentSchema = ReturnType<typeof experimentSchemaOf>;
/** An experiment as its file has it, perhaps without a seed. Only loading knows this form. */
export type WrittenExperiment = z.output<ExperimentSchema>;
export type WrittenProtocol = WrittenExperiment['protocol'];
export type Protocol = WrittenProtocol & { seed: number };
export type Experiment = Omit<WrittenExperiment, 'protocol'> & {
  protocol: Protocol;
  /** The groups that a matrix of the file made of its variants; absent without a matrix. */
  groups?: Group[];
};

export type Decision = Experiment['decision'];
/** Name of the metric that decides: with `script`, of that script alone. */
export function decidingMetric({ metric, script }: Pick<Decision, 'metric' | 'script'>): string {
  return script === undefined ? metric : scriptMetric(metric, script);
}
export type Contrast = z.infer<typeof contrastsSchema>[number];

/**
 * An experiment as a result has it. Only some of its keys are checked, since a result of a later pgduet may have other
 * keys.
 */
export const storedExperimentSchema = z.custom<Experiment>(
  (value) => storedShape.safeParse(value).success,
  'not the definition of an experiment',
);

const storedShape = z.looseObject({
  // Names become folders: a name from someone else must not lead out of the folder of results.
  name: nameSchema,
  question: z.string(),
  variants: z.record(z.string(), z.looseObject({ storage: z.looseObject({ type: z.string() }) })),
  baseline: z.string(),
  workload: z.looseObject({ tool: z.string() }),
  protocol: z.looseObject({ blocks: z.int(), order: z.string(), truncate: z.string() }),
  decision: z.looseObject({ metric: z.string(), practicalThreshold: z.number(), level: z.number() }),
});
