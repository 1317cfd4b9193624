import { z } from 'zod';
import type { AtLevel } from './levels.ts';
import { ownScriptNames } from './own-scripts.ts';

const builtins = ['tpcb-like', 'simple-update', 'select-only'] as const;

/** pgbench takes no more of either. */
const [mostWeight, mostScripts] = [2 ** 31 - 1, 128];
const weightSchema = z.int().min(1).max(mostWeight).default(1);

const fileScriptSchema = z.strictObject({
  file: z.string().min(1).describe('A pgbench script, relative to the experiment file.'),
  weight: weightSchema,
});

/** Scripts that know the tables of the user. */
export const fileScriptsSchema = z.array(fileScriptSchema).min(1).max(mostScripts);

const scriptSchema = z.union([
  z.strictObject({
    builtin: z
      .enum([...builtins, ...ownScriptNames])
      .describe(
        'tpcb-skewed is ours: tpcb-like, with some accounts in far more demand (variables.skew, 1.1 unless given).',
      ),
    weight: weightSchema,
  }),
  fileScriptSchema,
]);

const tablesSchema = z
  .strictObject({
    fillFactor: z.int().min(10).max(100).default(100),
    partitions: z.int().min(0).max(10_000).default(0),
    partitionMethod: z.enum(['range', 'hash']).default('range'),
    foreignKeys: z.boolean().default(false),
    unlogged: z.boolean().default(false).describe('--unlogged-tables: they write no WAL, and are empty after a crash.'),
    generatedBy: z
      .enum(['client', 'server'])
      .default('client')
      .describe('Who makes the rows: pgbench, which sends them, or the server (--init-steps with G).'),
  })
  .describe('How the tables of pgbench are made.');

const oneClientsSchema = z.int().min(1).max(10_000);
export const clientsSchema = z
  .union([oneClientsSchema, z.array(oneClientsSchema).min(1)])
  .describe('Connections that put the load on; or a list such as [8, 16]: each block measures every variant at each.');
export const threadsSchema = z.int().min(1).max(1024).default(1);
export const queryModeSchema = z.enum(['simple', 'extended', 'prepared']).default('simple');
const oneRateSchema = z.number().positive();
export const rateSchema = z
  .union([oneRateSchema, z.array(oneRateSchema).min(1)])
  .optional()
  .describe('Offered transactions per second over all clients (--rate); or a list, as with clients.');

/** Keys of everything that pgbench puts a load on with, whatever tables its scripts know. */
export const runShape = {
  clients: clientsSchema,
  threads: threadsSchema,
  transactions: z.int().min(1).optional().describe('Transactions of each client; or durationSeconds.'),
  durationSeconds: z.int().min(1).optional().describe('Length of a trial; or transactions.'),
  expectedTps: z
    .number()
    .positive()
    .optional()
    .describe('Only to foretell how long a trial of so many transactions takes.'),
  queryMode: queryModeSchema,
  rate: rateSchema,
  latencyLimitMs: z
    .number()
    // pgbench counts whole microseconds, and takes 0 for no limit.
    .min(0.001)
    .optional()
    .describe('--latency-limit: later transactions count as late or are skipped.'),
  maxTries: z
    .int()
    .min(0)
    .optional()
    .describe('--max-tries, PostgreSQL 15 and newer; 0: until it succeeds, or the time is over.'),
  variables: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a pgbench variable name'), z.union([z.string(), z.number()]))
    .default({})
    .describe('-D name=value, for scripts of one’s own, such as the skew of a Zipfian access.'),
  reconnect: z.boolean().default(false).describe('-C: a new connection for every transaction.'),
  perStatement: z.boolean().default(false).describe('-r: average latency of every statement.'),
  samplingRate: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      '--sampling-rate: part of the transactions in the log. Percentiles are then not exact, and may not decide; TPS and averages are exact.',
    ),
  failuresDetailed: z
    .boolean()
    .default(false)
    .describe('--failures-detailed, PostgreSQL 15 and newer: failed transactions by why they failed.'),
  verboseErrors: z
    .boolean()
    .default(false)
    .describe('--verbose-errors, PostgreSQL 15 and newer: a message for each failed or retried transaction.'),
  exitOnAbort: z
    .boolean()
    .default(false)
    .describe(
      '--exit-on-abort, PostgreSQL 17 and newer: ends a trial at once if a client aborts, and not when it is over.',
    ),
};

export const pgbenchSchema = z.strictObject({
  tool: z.literal('pgbench'),
  scale: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Scale factor of pgbench’s tables: 100,000 accounts each, about 15 MB.'),
  load: tablesSchema.prefault({}),
  scripts: z
    .array(scriptSchema)
    .min(1)
    .max(mostScripts)
    .default([{ builtin: 'tpcb-like', weight: 1 }]),
  ...runShape,
});

/** The workload as the experiment declares it. */
export type DeclaredWorkload = z.output<typeof pgbenchSchema>;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type PgbenchWorkload = AtLevel<DeclaredWorkload>;
export type PgbenchScript = PgbenchWorkload['scripts'][number];

/** What pgbench must know to put a load on. Without `scale`, its scripts know other tables than its own. */
export type DeclaredRun = Omit<DeclaredWorkload, 'tool' | 'scale' | 'load'> & { tool: string; scale?: number };
export type PgbenchRun = AtLevel<DeclaredRun>;
