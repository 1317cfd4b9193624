import * as z from 'zod';
import type { Single } from '../lists.ts';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import type { ExperimentAround } from '../extras.ts';
import { type Measures, memberName, type MembersTable, type Metric } from '../../contract/metric.ts';
import { perMinute } from '../per-minute.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';

const oneUsersSchema = z.int().min(1).max(10_000);

export const hammerdbSchema = z.strictObject({
  tool: z.literal('hammerdb').describe('What generates the load.'),
  warehouses: z
    .int()
    .min(1)
    .max(100_000)
    .describe('Scale (pg_count_ware). Each warehouse has ten districts and 30,000 customers, and takes about 100 MB.'),
  users: z
    .union([oneUsersSchema, z.array(oneUsersSchema).min(1)])
    .describe(
      'Virtual users, or a list such as [4, 8]: each block then measures every variant with each number of users.',
    ),
  buildUsers: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Virtual users that build the schema (pg_num_vu). By default, one for each warehouse, at most 8.'),
  durationMinutes: z.int().min(1).max(1440).describe('Length of a trial (pg_duration), in whole minutes.'),
  allWarehouses: z
    .boolean()
    .default(true)
    .describe(
      'pg_allwarehouse: users divide the warehouses and cycle through their share. With false, each user picks one random warehouse, so sharing differs from trial to trial.',
    ),
  keyingAndThinking: z
    .boolean()
    .default(false)
    .describe('pg_keyandthink: users wait as in TPC-C, so each does two or three transactions a minute.'),
  storedProcedures: z
    .boolean()
    .default(true)
    .describe('pg_storedprocs: the transactions are procedures, as in HammerDB’s own scripts; with false, functions.'),
  archive: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A release of HammerDB as .tar.gz, relative to the experiment file; a deploy takes it to the driver. Without it, pgduet uses PGDUET_HAMMERDB or /opt/HammerDB-*, or downloads its known release, which needs internet access on the driver.',
    ),
});

/** The workload as the experiment declares it. */
export type DeclaredHammerdb = z.output<typeof hammerdbSchema>;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type HammerdbWorkload = Single<DeclaredHammerdb, 'users'>;

/** What may be declared as a list. */
export const listed = ['users'] as const;

const maxBuildUsers = 8;

/** How many virtual users build the schema. */
export function buildUsersOf({ buildUsers, warehouses }: Pick<DeclaredHammerdb, 'buildUsers' | 'warehouses'>): number {
  return buildUsers ?? Math.min(warehouses, maxBuildUsers);
}

/** HammerDB starts its users one after another, this far apart. */
export const secondsBetweenUsers = 0.5;

export function workloadProblems(workload: Partial<DeclaredHammerdb>): RuleProblem[] {
  const { warehouses, buildUsers, archive } = workload;
  return [
    ...problemUnless(
      'build-users',
      (buildUsers ?? 0) <= (warehouses ?? Infinity),
      ['buildUsers'],
      `more users than warehouses; expected at most ${warehouses}`,
    ),
    ...problemUnless(
      'hammerdb-archive',
      archive === undefined || /\.(tar\.gz|tgz)$/.test(archive),
      ['archive'],
      'expected a release of HammerDB for Linux, named NAME.tar.gz',
    ),
  ];
}

/** Problems of the workload together with the rest of the experiment. */
export function experimentProblems(
  workload: Partial<DeclaredHammerdb>,
  { warmUpSeconds, phaseSeconds }: Pick<ExperimentAround, 'warmUpSeconds' | 'phaseSeconds'>,
): RuleProblem[] {
  const path = ['protocol', 'warmUpSeconds'];
  const users = Math.max(0, ...[workload.users ?? []].flat());
  const startSeconds = users * secondsBetweenUsers;
  return [
    ...problemUnless(
      'ramp-up-minutes',
      (warmUpSeconds ?? 0) % 60 === 0,
      path,
      'HammerDB ramps up for whole minutes; expected 0 or a multiple of 60',
    ),
    ...problemUnless(
      'ramp-up-phase',
      (phaseSeconds ?? 0) <= 0,
      ['protocol', 'phaseSeconds'],
      'HammerDB ramps up for whole minutes; expected 0',
    ),
    ...problemUnless(
      'ramp-up-start',
      (warmUpSeconds ?? 0) <= 0 || startSeconds <= (warmUpSeconds ?? 0),
      path,
      `HammerDB needs ${startSeconds} s to start ${users.toLocaleString('en')} users; expected at least that, in whole minutes`,
    ),
  ];
}

/** With indexes. */
export const bytes = { perWarehouse: 100e6, items: 12e6 };

export const tables = [
  'warehouse',
  'district',
  'customer',
  'history',
  'orders',
  'new_order',
  'order_line',
  'item',
  'stock',
] as const;

/** The transactions. Their functions or procedures have these names, and so have their times in HammerDB's answers. */
export const procedures = ['neword', 'payment', 'delivery', 'slev', 'ostat'] as const;

const [average, p50, p95, p99] = (['average', 'p50', 'p95', 'p99'] as const).map((name): Metric => ({
  name: `procedures.<procedure>.${name}`,
  label: `<procedure> ${name}`,
  column: name,
  unit: 's',
  kind: 'latency',
  better: 'lower',
  compared: 'ratio',
  reportedByLoad: true,
  source: 'HammerDB’s time profile of each procedure, over ramp-up and measured part together',
})) as [Metric, Metric, Metric, Metric];

/** The times of one procedure, by statistic. */
const procedureMetrics = { average, p50, p95, p99 };

export const proceduresTable: MembersTable = {
  id: 'procedures',
  title: 'Transactions, by HammerDB’s time profile',
  what: 'procedure',
  placeholder: '<procedure>',
  notes: ['Over ramp-up and measured part together.'],
};

export const hammerdbMetrics: readonly Metric[] = [
  {
    ...perMinute,
    name: 'nopm',
    label: 'NOPM',
    source: 'HammerDB: new orders per minute in the measured part, from the order numbers of the districts',
  },
  {
    ...perMinute,
    name: 'tpm',
    label: 'TPM',
    source:
      'HammerDB: commits and rollbacks per minute in the measured part, of all databases of the server; other work on it counts, too',
  },
  ...Object.values(procedureMetrics),
];

/** Words for the identity facts of a run. In another version of HammerDB, a new order is different work. */
export const identityWords = {
  clientVersion: 'the version of the client',
  database: 'the database',
  warehouses: 'the number of warehouses',
  users: 'the number of virtual users',
} as const;

/** Those that say which work was offered. */
export const conditions: readonly (keyof typeof identityWords)[] = ['database', 'warehouses', 'users'];

export function measuresOfRun(run: ToolRun): { measures: Measures; facts: Facts } {
  const procedureEntries = run.scripts.flatMap(({ name, latencyAverageSeconds, latencySeconds }) => [
    [memberName(procedureMetrics.average, name), latencyAverageSeconds],
    [memberName(procedureMetrics.p50, name), latencySeconds?.p50 ?? null],
    [memberName(procedureMetrics.p95, name), latencySeconds?.p95 ?? null],
    [memberName(procedureMetrics.p99, name), latencySeconds?.p99 ?? null],
  ]);
  return {
    measures: {
      runtime: run.durationSeconds,
      ...run.measures,
      ...(Object.fromEntries(procedureEntries) as Measures),
    },
    facts: {
      identity: {
        clientVersion: run.clientVersion,
        database: run.database ?? null,
        serverVersion: run.serverVersion,
        warehouses: run.scale,
        users: run.clients,
      },
      problems: run.problems,
    },
  };
}
