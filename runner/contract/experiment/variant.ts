import { z } from 'zod';

const iopsSchema = z.int().positive().describe('Provisioned I/O operations per second.');

/** Ranges that depend on two values, such as IOPS per GiB, are in rules.ts: they need messages of their own. */
const storageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['io1', 'io2']),
    sizeGib: z.int().min(100).max(65_536),
    iops: iopsSchema,
  }),
  z.strictObject({
    type: z.literal('gp3'),
    sizeGib: z.int().min(20).max(65_536),
    iops: iopsSchema.optional(),
    throughputMibps: z.int().positive().optional(),
  }),
  z
    .strictObject({
      type: z.literal('local'),
      sizeGib: z.number().min(0.25).max(1024).default(2).describe('Size of each limited volume (a sparse file).'),
      iops: iopsSchema.optional().describe('Limit of the volume that holds the data; without it there is no limit.'),
      throughputMibps: z.number().positive().optional().describe('Limit of the data volume’s throughput.'),
      logVolumeIops: iopsSchema.optional().describe('Limit of the log volume, where the variant has one.'),
      logVolumeThroughputMibps: z.number().positive().optional(),
      standbys: z
        .int()
        .min(0)
        .max(2)
        .optional()
        .describe(
          'Synchronous standbys on this machine, of which one must have the WAL before a commit returns (ANY 1). Default: 0.',
        ),
      standbyIops: iopsSchema
        .optional()
        .describe('Limit of the volume of each standby, which holds its data and WAL, where the variant has standbys.'),
      standbyThroughputMibps: z.number().positive().optional(),
    })
    .describe('This machine’s disk, in volumes of limited IOPS where the machine can make them; cannot be deployed.'),
]);

/** PostgreSQL parameters. Numbers and booleans may be written in YAML without quotes. */
const parametersSchema = z
  .record(
    // Whatever asks for a parameter, here and in RDS, knows it by its name in lower case.
    z.string().regex(/^[a-z_][a-z0-9_.]*$/, 'a PostgreSQL parameter name in lower case, such as datestyle'),
    z.union([z.string(), z.number(), z.boolean()]),
  )
  .describe('PostgreSQL parameters, by name.');

const engineSchema = z
  .strictObject({
    version: z
      .string()
      .regex(/^(\d+(\.\d+)?|installed)$/, 'a PostgreSQL version such as "16.15", or installed')
      // From here on it is as if the file did not say any.
      .transform((version) => (version === 'installed' ? undefined : version))
      .optional()
      .describe(
        'PostgreSQL version, with its minor version to deploy. On this machine such as "16" or "16.15", which must be here; left out or "installed": the first that is found.',
      ),
    parameters: parametersSchema.default({}),
  })
  .prefault({});

export const variantSchema = z.strictObject({
  description: z.string().optional().describe('What sets this variant apart, in a few words.'),
  deployment: z.enum(['single-az', 'multi-az-instance', 'multi-az-cluster']).default('single-az'),
  class: z
    .string()
    .regex(/^db\.[a-z0-9-]+\.[a-z0-9]+$/, 'an RDS instance class such as db.r6g.2xlarge')
    .optional()
    .describe('RDS instance class. Needed to deploy.'),
  storage: storageSchema,
  dedicatedLogVolume: z.boolean().default(false).describe('WAL on a volume of its own.'),
  engine: engineSchema,
});

export type Variant = z.output<typeof variantSchema>;
export type Storage = Variant['storage'];
export type Deployment = Variant['deployment'];
export type ParameterValue = string | number | boolean;
