import * as z from 'zod';
import type { RuleProblem } from '../../contract/check.ts';
import type { Measures, Metric } from '../../contract/metric.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';
import { rateSchema, toolWords } from '../pgbench/schema.ts';
import type { Single } from '../lists.ts';

/**
 * sysbench's scripts for databases. Each of their transactions is one commit.
 *
 * `prepared` is how many statements a client prepares: for itself, and for each table. Each of them commits, too.
 * Counted by PostgreSQL 15 with sysbench 1.0.20.
 */
export const scripts = {
  oltp_read_only: { writes: false, prepared: { once: 2, perTable: 5 } },
  oltp_read_write: { writes: true, prepared: { once: 2, perTable: 9 } },
  oltp_write_only: { writes: true, prepared: { once: 2, perTable: 4 } },
  oltp_point_select: { writes: false, prepared: { once: 0, perTable: 1 } },
  oltp_update_index: { writes: true, prepared: { once: 0, perTable: 1 } },
  oltp_update_non_index: { writes: true, prepared: { once: 0, perTable: 1 } },
  oltp_insert: { writes: true, prepared: { once: 0, perTable: 0 } },
  oltp_delete: { writes: true, prepared: { once: 0, perTable: 1 } },
  select_random_points: { writes: false, prepared: { once: 1, perTable: 0 } },
  select_random_ranges: { writes: false, prepared: { once: 1, perTable: 0 } },
} as const;

const scriptNames = Object.keys(scripts) as (keyof typeof scripts)[];
/** They read the first table only. */
const readsFirstTable: readonly string[] = ['select_random_points', 'select_random_ranges'];

const oneClientsSchema = z.int().min(1).max(10_000);

export const sysbenchSchema = z.strictObject({
  tool: z.literal('sysbench').describe(toolWords),
  script: z.enum(scriptNames).default('oltp_read_write').describe('What each transaction does: a script of sysbench.'),
  tables: z.int().min(1).max(10_000).default(1).describe('--tables, named sbtest1, sbtest2 ...'),
  tableSize: z
    .int()
    .min(1)
    .max(2_000_000_000)
    .describe('--table-size: rows of each table. A million takes about 255 MB, with indexes.'),
  clients: z
    .union([oneClientsSchema, z.array(oneClientsSchema).min(1)])
    .describe(
      '--threads: connections that generate the load, or a list such as [8, 16]: each block then measures every variant with each number of clients.',
    ),
  durationSeconds: z.int().min(1).describe('--time: length of a trial.'),
  rate: rateSchema,
  queryMode: z
    .enum(['prepared', 'simple'])
    .default('prepared')
    .describe('--db-ps-mode: whether clients prepare their statements, or send them as text.'),
  distribution: z
    .enum(['special', 'uniform', 'gaussian', 'pareto'])
    .default('special')
    .describe(
      '--rand-type: which rows transactions prefer. special, the default of sysbench, is far from uniform; results with different ones cannot be compared.',
    ),
});

/** The workload as the experiment declares it. */
export type DeclaredSysbench = z.output<typeof sysbenchSchema>;
/** What may be declared as a list. */
export const listed = ['clients', 'rate'] as const;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type SysbenchWorkload = Single<DeclaredSysbench, (typeof listed)[number]>;

/** With indexes; measured on PostgreSQL 15. */
export const bytesPerRow = 255;

/** Names of the tables, in their order. */
export function tablesOf({ tables }: Pick<DeclaredSysbench, 'tables'>): string[] {
  return Array.from({ length: tables }, (_, index) => `sbtest${index + 1}`);
}

export function workloadProblems({ script, tables }: Partial<DeclaredSysbench>): RuleProblem[] {
  if (script === undefined || !readsFirstTable.includes(script) || (tables ?? 1) === 1) return [];
  const message = `is ${tables}, but ${script} reads only the first table; expected 1`;
  return [{ rule: 'sysbench-tables', path: ['tables'], message }];
}

/** Commits of a run: its transactions, and what its clients prepare. */
export function commitsOf(
  { script, tables, clients, queryMode }: SysbenchWorkload,
  { transactions }: Pick<ToolRun, 'transactions'>,
): number | null {
  if (transactions === null) return null;
  const { once, perTable } = scripts[script].prepared;
  return transactions + (queryMode === 'prepared' ? clients * (once + perTable * tables) : 0);
}

export const qpsMetric: Metric = {
  name: 'qps',
  label: 'QPS',
  unit: '1/s',
  kind: 'rate',
  better: 'higher',
  compared: 'ratio',
  reportedByLoad: true,
  source: 'sysbench: its statements per second, with BEGIN and COMMIT',
};

/** Words for the identity facts of a run. */
export const identityWords = {
  clientVersion: 'the version of the client',
  script: 'the script',
  tables: 'the number of tables',
  tableSize: 'the rows of a table',
  clients: 'the number of clients',
  queryMode: 'the query mode',
  distribution: 'the distribution of the rows',
  begins: 'when a transaction begins',
} as const;

/** Those that say which work was offered. */
export const conditions: readonly (keyof typeof identityWords)[] = [
  'script',
  'tables',
  'tableSize',
  'clients',
  'queryMode',
  'distribution',
  'begins',
];

/**
 * The measures and facts of a run.
 *
 * @param workload what its output does not say. @default unknown
 */
export function measuresOfRun(run: ToolRun, workload?: SysbenchWorkload): { measures: Measures; facts: Facts } {
  const { clients, tps } = run;
  const { script = null, tables = null, tableSize = null, queryMode = null, distribution = null } = workload ?? {};
  const isClosedLoop = workload !== undefined && workload.rate === undefined;
  return {
    measures: {
      runtime: run.durationSeconds,
      tps,
      'latency.average': run.latencyAverageSeconds,
      'client.turn': isClosedLoop && clients !== null && tps !== null && tps > 0 ? clients / tps : null,
      transactions: run.transactions,
      'transactions.failed': run.failedTransactions,
      'transactions.retries': run.retries ?? null,
      ...run.measures,
    },
    facts: {
      identity: {
        clientVersion: run.clientVersion,
        script,
        tables,
        tableSize,
        clients,
        queryMode,
        distribution,
        ...(workload && { begins: isClosedLoop ? 'closed-loop' : 'rate' }),
      },
      problems: run.problems,
    },
  };
}
