import * as z from 'zod';
import { snapshotSchema } from '../../contract/experiment/deployment.ts';
import { type ResolvedWorkload, fileScriptsSchema, runShape, toolWords } from '../pgbench/schema.ts';

const fileSchema = z.string().min(1);

/** Keys that all kinds of own data have. */
const common = {
  reset: z
    .array(fileSchema)
    .min(1)
    .optional()
    .describe(
      'SQL files that reset the data before every trial. psql runs them in this order, as reset step own-reset, which replaces restore.',
    ),
  expectedResetSeconds: z
    .number()
    .positive()
    .optional()
    .describe('How long the files of reset take. Used only to predict how long the run takes.'),
  sizeGib: z
    .number()
    .positive()
    .optional()
    .describe('The size of the data with its indexes. Used only to predict how long loading and restoring take.'),
};

const expectation = z.string().min(1);
const expectWords =
  'Queries that prove the data exists, such as SELECT count(*) >= 1000 FROM customer. Each must return true, also after trials.';

const otherFilesSchema = z
  .array(fileSchema)
  .default([])
  .describe(
    'Files that the SQL files read, by \\copy or \\ir. They go to the driver, too. If their contents change, the data is loaded again.',
  );

const filesSchema = z
  .strictObject({
    dump: fileSchema
      .optional()
      .describe(
        'A dump by pg_dump in its format custom, tar or plain, relative to the experiment file. pgduet recognises the format by the first bytes.',
      ),
    sql: z
      .array(fileSchema)
      .min(1)
      .optional()
      .describe(
        'SQL files, relative to the experiment file, that create and fill tables, or change what a dump has loaded before them. psql runs them in this order, each in one transaction.',
      ),
    files: otherFilesSchema,
    expect: z.array(expectation).default([]).describe(expectWords),
    ...common,
  })
  .describe('Your own data, from a dump, from SQL files, or from both.');

const ownSnapshotSchema = z
  .strictObject({
    snapshot: snapshotSchema.describe(
      'The name or ARN of a snapshot of your own database in RDS. RDS restores every variant from it. Deployed only.',
    ),
    database: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[^'"\\\s]+$/, 'the name of a database, without spaces and quotes')
      .describe('The database in the snapshot that is measured.'),
    user: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, 'the name of a master user')
      .default('postgres')
      .describe(
        'Its master user. The stack sets a new password for this user. With credentials.kind existing, the secret holds user and password.',
      ),
    expect: z.array(expectation).min(1).describe(`${expectWords} They replace the mark that a load by pgduet leaves.`),
    ...common,
  })
  .describe('Your own data, from a snapshot that pgduet did not make.');

const loadSchema = z
  .union([filesSchema, ownSnapshotSchema])
  .describe('What to load: a dump, SQL files or both; or a snapshot.');

export const ownDataSchema = z.strictObject({
  tool: z.literal('own-data').describe(toolWords),
  load: loadSchema,
  scripts: fileScriptsSchema,
  ...runShape,
});

export type DeclaredOwnData = z.output<typeof ownDataSchema>;
export type OwnDataWorkload = ResolvedWorkload<DeclaredOwnData>;
export type OwnData = z.output<typeof loadSchema>;

/** Files that the loaded data depends on. */
export function loadFilesOf(load: OwnData | undefined): string[] {
  if (!load || 'snapshot' in load) return [];
  return [...named(load), ...load.files];
}

/** What the loaded data depends on, besides the contents of the files. */
export function loadedByOwn(load: OwnData): unknown {
  if ('snapshot' in load) return { snapshot: load.snapshot, database: load.database };
  return { dump: load.dump, sql: load.sql };
}

/** Such as `own data from app.dump, more.sql`. */
export function ownDataInWords(load: OwnData): string {
  return `own data from ${'snapshot' in load ? `the snapshot ${load.snapshot}` : named(load).join(', ')}`;
}

/** The dump, and then the SQL files. */
function named({ dump, sql = [] }: z.output<typeof filesSchema>): string[] {
  return [...(dump === undefined ? [] : [dump]), ...sql];
}
