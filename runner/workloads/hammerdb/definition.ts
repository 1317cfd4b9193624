import type { Workload } from '../../contract/experiment/schema.ts';
import type { ToolDefinition } from '../extras.ts';
import type { WorkloadWords } from '../tool.ts';
import { driverNeeds } from '../pgbench/driver.ts';
import {
  buildUsersOf,
  bytes,
  type DeclaredHammerdb,
  experimentProblems,
  hammerdbMetrics,
  hammerdbSchema,
  conditions,
  identityWords,
  listed,
  measuresOfRun,
  proceduresTable,
  workloadProblems,
} from './schema.ts';
import { listWords, single } from '../lists.ts';
import { durationsOfWarehouses, unevenTables } from '../tpcc.ts';
import { withNoun } from '../../contract/format.ts';

/**
 * HammerDB's TPROC-C: the workload of TPC-C, run by a third-party program whose figures are widely published. It is not
 * TPC-C, and figures of two of its versions must not be compared.
 */
export const hammerdb = {
  name: 'hammerdb',
  needsAddress: true,
  schema: hammerdbSchema,
  metrics: hammerdbMetrics,
  tables: [proceduresTable],
  throughput: 'nopm',
  problems: workloadProblems,
  experimentProblems,
  whyUnmeasured: (_, metric) =>
    /^(tps|latency)(\.|$)/.test(metric)
      ? 'it counts new orders per minute (nopm) and the server’s transactions per minute (tpm); declare one of these'
      : null,
  prepares: () => 'by-sql',
  listed,
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
        source: `12,500 for each user that builds: with HammerDB 4.12 and PostgreSQL 15, two users on two cores built two warehouses in 42 s`,
      },
      trialSeconds: durationMinutes * 60,
      ...durationsOfWarehouses(warehouses, bytes),
    };
  },
  words: hammerdbWords,
  trialFiles: ({ archive }) => (archive === undefined ? [] : [archive]),
  loadedBy: ({ warehouses, storedProcedures }) => ({ warehouses, storedProcedures }),
  ...unevenTables,
  identityWords,
  conditions,
  driver: {
    // HammerDB brings its own Tcl, and loads the libpq of the machine. Every Amazon Linux has tar and gzip.
    packages: (serverMajors) => [...driverNeeds.packages(serverMajors), 'libpq'],
    programs: [...driverNeeds.programs, 'tar', 'gzip'],
    downloads: (workload) =>
      hasArchive(workload)
        ? null
        : {
            what: 'HammerDB',
            remedy:
              'download the release for Linux from https://github.com/TPC-Council/HammerDB/releases and name it in workload.archive',
          },
    onlyX86: (workload) =>
      hasArchive(workload)
        ? null
        : 'HammerDB is published for Intel and AMD only. Choose a class such as c7i.2xlarge, or name your own build in workload.archive.',
  },
  async version(_, where) {
    const [{ installOf }, { versionOf }] = await Promise.all([
      import('./generator.ts'),
      import('./program/find-program.ts'),
    ]);
    return versionOf(await installOf(where), where.signal);
  },
  async open(options) {
    const { hammerdbGenerator } = await import('./generator.ts');
    return hammerdbGenerator({ ...options, workload: single(options.workload, listed) });
  },
  async outputReader() {
    const { otherThanRun, parseOutput } = await import('./output/parse-output.ts');
    return { parse: parseOutput, otherwise: otherThanRun };
  },
  measuresOf: measuresOfRun,
} satisfies ToolDefinition<DeclaredHammerdb>;

function hasArchive(workload: Partial<Workload>): boolean {
  return 'archive' in workload && workload.archive !== undefined;
}

function hammerdbWords(workload: DeclaredHammerdb): WorkloadWords {
  const { warehouses, users, durationMinutes, allWarehouses, keyingAndThinking, storedProcedures, archive } = workload;
  const builders = buildUsersOf(workload);
  const sending = listWords(users, 'virtual user');
  const parts = [
    `HammerDB with ${withNoun(warehouses, 'warehouse')}`,
    sending,
    keyingAndThinking ? 'keying and thinking' : 'no waits',
    `${durationMinutes} min per trial`,
  ];
  return {
    summary: parts.join(', '),
    facts: [
      ['load', sending],
      ['transactions', `TPROC-C, as ${storedProcedures ? 'procedures' : 'functions'}; its figures are not TPC-C’s`],
      ['warehouses', allWarehouses ? 'shared out among the users' : 'one for each user, drawn at random'],
      ['build', `by ${withNoun(builders, 'virtual user')}`],
      ...(archive === undefined ? [] : [['program', `unpacked from ${archive}`] satisfies [string, string]]),
    ],
  };
}
