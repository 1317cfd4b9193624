import { z } from 'zod';
import { snapshotSchema } from '../../contract/experiment/deployment.ts';
import { type ResolvedWorkload, fileScriptsSchema, runShape } from '../pgbench/schema.ts';

const fileSchema = z.string().min(1);

/** What all kinds of one's own data have. */
const common = {
  reset: z
    .array(fileSchema)
    .min(1)
    .optional()
    .describe(
      'SQL files that bring the data back to where every trial starts, run by psql in this order. They are the reset step own-reset, which is then done instead of restore.',
    ),
  expectedResetSeconds: z
    .number()
    .positive()
    .optional()
    .describe('Only to foretell how long the run takes: the length of the files of reset.'),
  sizeGib: z
    .number()
    .positive()
    .optional()
    .describe(
      'Only to foretell how long loading and restoring take: the size of the data with its indexes, as you declare it.',
    ),
};

const expectation = z.string().min(1);
const expectWords =
  'Queries that prove the data, such as SELECT count(*) >= 1000 FROM customer. Each gives one true, also after trials.';

const otherFilesSchema = z
  .array(fileSchema)
  .default([])
  .describe(
    'Files that those read in turn, by \\copy or \\ir: they go to the driver, too, and with others of their contents the data is loaded again.',
  );

const sqlSchema = z
  .strictObject({
    sql: z
      .array(fileSchema)
      .min(1)
      .describe(
        'SQL files that make and fill the tables, relative to the experiment file; psql runs them in this order, each in one transaction.',
      ),
    files: otherFilesSchema,
    expect: z.array(expectation).default([]).describe(expectWords),
    ...common,
  })
  .describe('Data of your own, from SQL files.');

const dumpSchema = z
  .strictObject({
    dump: fileSchema.describe(
      'A dump by pg_dump in its format custom, tar or plain, relative to the experiment file. What tells the format are its first bytes.',
    ),
    expect: z.array(expectation).default([]).describe(expectWords),
    ...common,
  })
  .describe('Data of your own, from a dump.');

const ownSnapshotSchema = z
  .strictObject({
    snapshot: snapshotSchema.describe(
      'A snapshot of a database of your own in RDS, by its name or ARN. Every variant is restored from it. Deployed only.',
    ),
    database: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[^'"\\\s]+$/, 'the name of a database, without spaces and quotes')
      .describe('The database in it that is measured.'),
    user: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, 'the name of a master user')
      .default('postgres')
      .describe(
        'Its master user. The stack gives the user another password. With credentials.kind existing, that secret says both.',
      ),
    expect: z
      .array(expectation)
      .min(1)
      .describe(`${expectWords} They take the place of the mark that a load of pgduet leaves.`),
    ...common,
  })
  .describe('Data of your own, from a snapshot that pgduet did not make.');

const loadSchema = z
  .union([sqlSchema, dumpSchema, ownSnapshotSchema])
  .describe('What is loaded: SQL files, a dump or a snapshot.');

export const ownDataSchema = z.strictObject({
  tool: z.literal('own-data'),
  load: loadSchema,
  scripts: fileScriptsSchema,
  ...runShape,
});

export type DeclaredOwnData = z.output<typeof ownDataSchema>;
export type OwnDataWorkload = ResolvedWorkload<DeclaredOwnData>;
export type SqlLoad = z.output<typeof sqlSchema>;
export type DumpLoad = z.output<typeof dumpSchema>;
export type SnapshotLoad = z.output<typeof ownSnapshotSchema>;
export type OwnData = z.output<typeof loadSchema>;

/** Files that the loaded data depends on. */
export function loadFilesOf(load: OwnData): string[] {
  if ('sql' in load) return [...load.sql, ...load.files];
  return 'dump' in load ? [load.dump] : [];
}

/** What the loaded data depends on besides what is in the files. */
export function loadedByOwn(load: OwnData): unknown {
  if ('sql' in load) return { sql: load.sql };
  return 'dump' in load ? { dump: load.dump } : { snapshot: load.snapshot, database: load.database };
}

/** Such as `own data from app.dump`. */
export function ownDataInWords(load: OwnData): string {
  if ('sql' in load) return `own data from ${load.sql.join(', ')}`;
  return 'dump' in load ? `own data from ${load.dump}` : `own data from the snapshot ${load.snapshot}`;
}
