import * as z from 'zod';
import { latencyTargetSchema } from '../ladder.ts';
import type { MayHaveLogVolume } from '../log-volume.ts';
import { extensionSchema, sourceSchema } from './source.ts';

/**
 * Where the data of a variant is, with only the keys that several places have. The place's folder below runner/places/
 * knows the rest.
 */
export interface Storage {
  type: string;
  /** Absent if nothing says it. */
  sizeGib?: number | undefined;
  /** I/O operations per second; absent if they have no limit, or none that is declared. */
  iops?: number | undefined;
  throughputMibps?: number | undefined;
}

/** What the load goes through, with only the key that several places have. The place's folder knows the rest. */
export interface Pooler {
  mode: string;
}

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
      // From here on, it is as if the file named no version.
      .transform((version) => (version === 'installed' ? undefined : version))
      .optional()
      .describe(
        'PostgreSQL version. To deploy, include the minor version. On this machine, a version that is installed, such as "16" or "16.15"; omitted or "installed": the first one found.',
      ),
    source: sourceSchema.optional(),
    parameters: parametersSchema.default({}),
  })
  .prefault({})
  .describe('PostgreSQL: its version or source code, and its parameters.');

/** Also the names of files are made of it. */
const service = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Whether this may be the name of a service in pg_service.conf. */
export const isService = (text: string): boolean => service.test(text);

const serverSchema = z
  .strictObject({
    service: z
      .string()
      .regex(service, 'the name of a service in pg_service.conf: letters, digits, . _ -')
      .describe('Its section in pg_service.conf, with host, port, user and dbname. The password is in .pgpass.'),
  })
  .optional()
  .describe('An existing server, in place of storage: pgduet makes one database on it, and drops it at the end.');

const statementSchema = z
  .string()
  .transform((sql) => sql.trim().replace(/\s*;$/, ''))
  .pipe(z.string().min(1));

const prepareSchema = z
  .union([statementSchema, z.array(statementSchema).min(1)])
  .transform((sql) => [sql].flat())
  .optional()
  .describe(
    'What to run on this variant after its data is loaded: SQL such as CREATE INDEX ON purchase (customer), a file for psql such as index.sql, or a folder such as migrations/, whose files NAME.sql psql runs in the order of their names. Each element of a list is sent separately; several statements in one element are one transaction. pgduet then vacuums and analyzes all variants.',
  );

/** Whether an element of `prepare` is a file for psql: no statement is one word that ends like this. */
export function isSqlFile(element: string): boolean {
  return /^\S+\.sql$/i.test(element);
}

/** Whether an element of `prepare` is a folder. An experiment that is loaded has its files in its place. */
export function isSqlFolder(element: string): boolean {
  return /^\S+\/$/.test(element);
}

/** A script of one variant, in the form in which its tool has scripts in `workload`. */
export type VariantScript = { weight: number } & ({ file: string } | { builtin: string });

/** Such as `a.sql (weight 3); select-only (weight 1)`. */
export function scriptsInWords(scripts: readonly VariantScript[]): string {
  const names = scripts.map((script) => ('file' in script ? script.file : script.builtin));
  return names
    .map((name, index) => (names.length === 1 ? name : `${name} (weight ${scripts[index]?.weight})`))
    .join('; ');
}

/**
 * @param storage of all places that there are
 * @param poolers of all places that have some
 * @param deployments names of all that there are, the default first
 * @param scripts of all tools that take some
 */
export function variantSchemaOf({
  storage,
  poolers,
  deployments,
  scripts,
}: {
  storage: z.ZodType<Storage>;
  poolers: z.ZodType<Pooler>;
  deployments: readonly string[];
  scripts: z.ZodType<VariantScript[]>;
}) {
  const [first = ''] = deployments;
  return z.strictObject({
    description: z.string().optional().describe('How this variant differs, in a few words.'),
    deployment: z.enum(deployments).default(first).describe('How RDS deploys the database. Deployed only.'),
    class: z
      .string()
      .regex(/^db\.[a-z0-9-]+\.[a-z0-9]+$/, 'an RDS instance class such as db.r6g.2xlarge')
      .optional()
      .describe('RDS instance class. Needed to deploy.'),
    storage,
    server: serverSchema,
    pooler: poolers.optional(),
    dedicatedLogVolume: z.boolean().default(false).describe('WAL on its own volume.'),
    engine: engineSchema,
    extension: extensionSchema.optional(),
    prepare: prepareSchema,
    scripts: scripts
      .optional()
      .describe(
        'What each transaction does on this variant, in place of workload.scripts: the same question in other words.',
      ),
  });
}

export type Variant = z.output<ReturnType<typeof variantSchemaOf>>;

type OnServices = Readonly<Record<string, { server?: { service: string } | undefined }>>;

/** The services that several variants name, each with these variants: they measure databases of one server. */
export function sharedServices(variants: OnServices): [service: string, variants: string[]][] {
  return namedServices(variants).filter(([, names]) => names.length > 1);
}

/** The services that variants name, each with these variants; none if the servers do not exist before the run. */
export function namedServices(variants: OnServices): [service: string, variants: string[]][] {
  const named = new Map<string, string[]>();
  for (const [name, { server }] of Object.entries(variants)) {
    if (server) named.set(server.service, [...(named.get(server.service) ?? []), name]);
  }
  return [...named];
}

/** What the volumes of a variant follow from. */
export type StoredVariant = Pick<Variant, 'storage'> & MayHaveLogVolume;
export type ParameterValue = string | number | boolean;

/** The key `ladder` of an experiment. What came of it has a schema of its own, in ../ladder.ts. */
export const climbingSchema = z
  .strictObject({
    order: z
      .enum(['random', 'rising'])
      .default('random')
      .describe(
        'Order of the levels within a block. random: drawn anew for each block. rising: from the lowest, in every block, so a change within a block looks like an effect of the level; state the reason.',
      ),
    reason: z.string().trim().min(10).optional().describe('Why the levels rise; the report shows it.'),
    stopPastKneeAfter: z
      .int()
      .min(2)
      .max(1000)
      .optional()
      .describe(
        'After this number of blocks, the remaining blocks skip load levels more than one step above the knee of every variant.',
      ),
    target: latencyTargetSchema
      .optional()
      .describe('The report shows the highest load level that keeps this latency, and its throughput.'),
  })
  .prefault({})
  .describe('For workloads with a list, such as clients: how its levels are measured.');
