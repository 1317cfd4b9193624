import type { Tool } from '../tool.ts';
import { driverNeeds } from '../pgbench/driver.ts';
import { hammerdbMetrics, proceduresTable } from './metrics.ts';
import { identityWords, measuresOfRun } from './measures.ts';
import { axesOf, single } from '../lists.ts';
import { experimentProblems, workloadProblems } from './rules.ts';
import { buildUsersOf, type DeclaredHammerdb, hammerdbSchema, listed } from './schema.ts';
import { bytesOfItems, bytesPerWarehouse, rowsPerWarehouse, sizes } from './sizes.ts';
import { hammerdbWords } from './words.ts';

/**
 * HammerDB's TPROC-C: the workload of TPC-C by a program of others, whose figures many publish. It is not TPC-C, and figures of
 * two versions of it are not to be compared.
 */
export const hammerdb: Tool<DeclaredHammerdb> = {
  name: 'hammerdb',
  schema: hammerdbSchema,
  metrics: hammerdbMetrics,
  tables: [proceduresTable],
  throughput: 'nopm',
  collectors: [],
  problems: workloadProblems,
  experimentProblems,
  lacks: (_, metric) =>
    /^(tps|latency)(\.|$)/.test(metric)
      ? 'it counts new orders, and transactions of the server, by the minute; declare nopm or tpm'
      : null,
  axes: (workload) => axesOf(workload, listed),
  atLevel: (workload, level) => single(workload, listed, level),
  shape(workload) {
    const { users, durationMinutes } = single(workload, listed);
    return {
      clients: users,
      limit: 'time',
      transactions: null,
      durationSeconds: durationMinutes * 60,
      offeredPerSecond: null,
    };
  },
  durations(workload) {
    const { warehouses, durationMinutes } = workload;
    const rowsPerUser = 12_500;
    return {
      loadedRows: {
        value: rowsPerUser * buildUsersOf(workload),
        source: `12,500 for each building user: HammerDB 4.12 on PostgreSQL 15, two warehouses by two users on two cores in 42 s`,
      },
      trialSeconds: durationMinutes * 60,
      rows: sizes.items + warehouses * rowsPerWarehouse,
      bytes: bytesOfItems + warehouses * bytesPerWarehouse,
      assumptions: [],
    };
  },
  words: hammerdbWords,
  resetSteps: {},
  defaultReset: () => ['restore', 'checkpoint'],
  files: ({ archive }) => (archive === undefined ? [] : [archive]),
  loadedBy: ({ warehouses, storedProcedures }) => ({ warehouses, storedProcedures }),
  growingTable: () => 'order_line',
  // Five to fifteen lines of each order; HammerDB draws them anew each time.
  drawnTables: ['order_line'],
  identityWords,
  driver: {
    // HammerDB brings its own Tcl, and loads the libpq of the machine. Every Amazon Linux has tar and gzip.
    packages: (serverMajors) => [...driverNeeds.packages(serverMajors), 'libpq'],
    programs: [...driverNeeds.programs, 'tar', 'gzip'],
  },
  async version(_, where) {
    const [{ installOf }, { versionOf }] = await Promise.all([
      import('./generator.ts'),
      import('./program/version.ts'),
    ]);
    return versionOf(await installOf(where), where.signal);
  },
  async open(options) {
    const { hammerdbGenerator } = await import('./generator.ts');
    return hammerdbGenerator({ ...options, workload: single(options.workload, listed) });
  },
  async outputReader() {
    const { isHammerdbOutput, parseOutput } = await import('./output/parse-output.ts');
    return { recognises: isHammerdbOutput, parse: parseOutput };
  },
  measuresOf: measuresOfRun,
};
