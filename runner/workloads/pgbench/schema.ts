import path from 'node:path';
import * as z from 'zod';
import { writeFileIn } from '../../files/write.ts';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import type { Level } from '../../contract/trial.ts';
import { single, type Single } from '../lists.ts';

/**
 * The TPC-B-like script with some accounts in far more demand than others, as in most applications. The study of 2006
 * named the even access of TPC-B as its weakness. `skew`, the parameter of a Zipfian distribution (above 1), says how
 * uneven the demand is. The popular accounts lie all over the table, not side by side on its first pages.
 */
const tpcbSkewed = `\\set accounts 100000 * :scale
\\set aid 1 + permute(random_zipfian(1, :accounts, :skew) - 1, :accounts)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`;

/** pgduet's own scripts; each is one transaction on pgbench's tables. */
export const ownScripts: Readonly<Record<OwnScript, string>> = { 'tpcb-skewed': tpcbSkewed };
const ownScriptNames = ['tpcb-skewed'] as const;
export type OwnScript = (typeof ownScriptNames)[number];

/**
 * Variables of these scripts, unless the experiment sets them. With this skew, one transaction in eight goes to one
 * account of a million.
 */
export const ownVariables = { skew: 1.1 } as const;

/** Folder of scripts that we write within the folder of a trial. */
export const scriptsIn = (folder: string): string => path.join(folder, scriptsName);
const scriptsName = 'scripts';

/** Writes scripts where a trial finds them. */
export async function writeScripts(folder: string, scripts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(scripts)) {
    await writeFileIn(folder, path.join(scriptsName, `${name}.sql`), text);
  }
}

/** Scripts that come with pgbench, and ours. */
export const builtins = ['tpcb-like', 'simple-update', 'select-only', ...ownScriptNames] as const;

/** pgbench accepts no more of either. */
const [maxWeight, maxScripts] = [2 ** 31 - 1, 128];
const weightSchema = z
  .int()
  .min(1)
  .max(maxWeight)
  .default(1)
  .describe('How often it is drawn, relative to the other scripts.');

const fileScriptSchema = z.strictObject({
  file: z.string().min(1).describe('A pgbench script, relative to the experiment file.'),
  weight: weightSchema,
});

/** Scripts for the user's own tables. */
export const fileScriptsSchema = z
  .array(fileScriptSchema)
  .min(1)
  .max(maxScripts)
  .describe('pgbench scripts for your tables. Each is one transaction.');

const scriptSchema = z.union([
  z.strictObject({
    builtin: z
      .enum(builtins)
      .describe(
        'tpcb-skewed is pgduet’s own: tpcb-like, with some accounts in far more demand (variables.skew, by default 1.1).',
      ),
    weight: weightSchema,
  }),
  fileScriptSchema,
]);

export const scriptsSchema = z.array(scriptSchema).min(1).max(maxScripts);

const tablesSchema = z
  .strictObject({
    fillFactor: z
      .int()
      .min(10)
      .max(100)
      .default(100)
      .describe('--fillfactor: how full pages are after loading, in percent.'),
    partitions: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .describe('--partitions of pgbench_accounts; 0: it is not partitioned.'),
    partitionMethod: z.enum(['range', 'hash']).default('range').describe('--partition-method.'),
    foreignKeys: z.boolean().default(false).describe('--foreign-keys between the tables.'),
    unlogged: z
      .boolean()
      .default(false)
      .describe('--unlogged-tables: the tables write no WAL, and are empty after a crash.'),
    generatedBy: z
      .enum(['client', 'server'])
      .default('client')
      .describe('What generates the rows: pgbench, which sends them, or the server (--init-steps with G).'),
  })
  .describe('How to create pgbench’s tables.');

const oneClientsSchema = z.int().min(1).max(10_000);
export const clientsSchema = z
  .union([oneClientsSchema, z.array(oneClientsSchema).min(1)])
  .describe(
    'Connections that generate the load, or a list such as [8, 16]: each block then measures every variant with each number of clients.',
  );
export const threadsSchema = z
  .int()
  .min(1)
  .max(1024)
  .default(1)
  .describe('--jobs: threads of pgbench, at most one for each client.');
export const queryModeSchema = z
  .enum(['simple', 'extended', 'prepared'])
  .default('simple')
  .describe('--protocol: how pgbench sends statements.');
const oneRateSchema = z.number().positive();
export const rateSchema = z
  .union([oneRateSchema, z.array(oneRateSchema).min(1)])
  .optional()
  .describe('Transactions per second offered over all clients (--rate), or a list, as for clients.');

/** Keys for a load by pgbench, whatever tables its scripts know. */
export const runShape = {
  clients: clientsSchema,
  threads: threadsSchema,
  transactions: z.int().min(1).optional().describe('Transactions of each client. Give either this or durationSeconds.'),
  durationSeconds: z.int().min(1).optional().describe('Length of a trial. Give either this or transactions.'),
  expectedTps: z
    .number()
    .positive()
    .optional()
    .describe('Used only to predict how long a trial takes if it ends after a number of transactions.'),
  queryMode: queryModeSchema,
  rate: rateSchema,
  latencyLimitMs: z
    .number()
    // pgbench counts whole microseconds, and takes 0 for no limit.
    .min(0.001)
    .optional()
    .describe(
      '--latency-limit: transactions that take longer count as late; with a rate, transactions that would begin that late are skipped.',
    ),
  maxTries: z
    .int()
    .min(0)
    .optional()
    .describe('--max-tries, PostgreSQL 15 and newer. 0: try until the transaction succeeds, or the time is over.'),
  variables: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a pgbench variable name'), z.union([z.string(), z.number()]))
    .default({})
    .describe('-D name=value, for your own scripts, such as the skew of a Zipfian distribution.'),
  reconnect: z.boolean().default(false).describe('-C: a new connection for every transaction.'),
  perStatement: z.boolean().default(false).describe('-r: average latency of every statement.'),
  samplingRate: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      '--sampling-rate: the fraction of transactions in the log. Percentiles are then inexact and cannot decide; TPS and averages stay exact.',
    ),
  failuresDetailed: z
    .boolean()
    .default(false)
    .describe('--failures-detailed, PostgreSQL 15 and newer: counts failed transactions by cause.'),
  verboseErrors: z
    .boolean()
    .default(false)
    .describe('--verbose-errors, PostgreSQL 15 and newer: a message for each failed or retried transaction.'),
  continueOnError: z
    .boolean()
    .default(false)
    .describe(
      '--continue-on-error, PostgreSQL 19 and newer: a transaction with an error counts as failed, and its client continues.',
    ),
  exitOnAbort: z
    .boolean()
    .default(false)
    .describe(
      '--exit-on-abort, PostgreSQL 17 and newer: if a client aborts, the trial ends at once instead of running to its end.',
    ),
};

/** For the key `tool` of every workload. */
export const toolWords = 'What generates the load.';

export const pgbenchSchema = z.strictObject({
  tool: z.literal('pgbench').describe(toolWords),
  scale: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Scale factor of pgbench’s tables. Each unit is 100,000 accounts, about 15 MB.'),
  load: tablesSchema.prefault({}),
  scripts: scriptsSchema
    .default([{ builtin: 'tpcb-like', weight: 1 }])
    .describe('What each transaction does: scripts of pgbench, or your own.'),
  ...runShape,
});

/** The workload as the experiment declares it. */
export type DeclaredWorkload = z.output<typeof pgbenchSchema>;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type PgbenchWorkload = ResolvedWorkload<DeclaredWorkload>;
export type PgbenchScript = PgbenchWorkload['scripts'][number];

/** What pgbench must know to put a load on. Without `scale`, its scripts use other tables than pgbench's own. */
export type DeclaredRun = Omit<DeclaredWorkload, 'tool' | 'scale' | 'load'> & { tool: string; scale?: number };
export type PgbenchRun = ResolvedWorkload<DeclaredRun>;

/** What any tool that runs pgbench may declare as a list. */
export const listed = ['clients', 'rate'] as const;
interface Declared {
  clients: number | number[];
  rate?: number | number[] | undefined;
}
export type ResolvedWorkload<W extends Declared> = Single<W, (typeof listed)[number]>;

/** The workload at a level, or with the first of several values. */
export function resolveLevel<W extends Declared>(workload: W, level: Level = {}): ResolvedWorkload<W> {
  return single<W, (typeof listed)[number]>(workload, listed, level);
}

/** Problems of clients and threads. */
export function loadProblems({
  threads = 1,
  clients = Infinity,
}: Partial<Declared & { threads: number }>): RuleProblem[] {
  const min = Math.min(...[clients].flat());
  return problemUnless('threads', threads <= min, ['threads'], `more threads than clients; expected at most ${min}`);
}
