import { withNoun } from '../../contract/format.ts';
import type { ToolDefinition } from '../extras.ts';
import { listWords, single } from '../lists.ts';
import {
  bytesPerRow,
  conditions,
  type DeclaredSysbench,
  identityWords,
  listed,
  measuresOfRun,
  qpsMetric,
  scripts,
  sysbenchSchema,
  workloadProblems,
} from './schema.ts';

const onlyHere =
  'Amazon Linux 2023 has no package of sysbench, so no driver can run it. Measure locally, or choose another tool';

/** sysbench's tests of databases: small transactions by the primary key and over short ranges, on tables that are all alike. */
export const sysbench = {
  name: 'sysbench',
  schema: sysbenchSchema,
  metrics: [qpsMetric],
  throughput: 'tps',
  listed,
  refusedKeys: { threads: 'sysbench has a thread for each client; set clients' },
  problems: workloadProblems,
  whyUnmeasured({ rate }, metric) {
    if (metric.startsWith('lag.'))
      return rate === undefined
        ? 'no transaction has a schedule'
        : 'sysbench includes the lag in its latencies, but does not report it';
    return ['latency.withinLimit', 'latency.connection', 'latency.stddev'].includes(metric)
      ? 'sysbench does not report it'
      : null;
  },
  shape(workload) {
    const { script, clients, durationSeconds, rate = null } = single(workload, listed);
    const load = { clients, limit: 'time' as const, transactions: null, durationSeconds, offeredPerSecond: rate };
    return { ...load, onlyReads: !scripts[script].writes };
  },
  durations: ({ tables, tableSize, durationSeconds }) => ({
    loadedRows: { value: 90_000, source: 'PostgreSQL 15 on two cores and a local disk, measured for this project' },
    trialSeconds: durationSeconds,
    rows: tables * tableSize,
    bytes: tables * tableSize * bytesPerRow,
    assumptions: [],
  }),
  words({ script, tables, tableSize, clients, durationSeconds, rate, queryMode, distribution }) {
    const sending = listWords(clients, 'client');
    const data = `${withNoun(tables, 'table')} of ${withNoun(tableSize, 'row')}`;
    const parts = [
      `sysbench ${script} on ${data}`,
      sending,
      `${durationSeconds} s per trial`,
      ...(rate === undefined ? [] : [`${listWords(rate, 'transaction')} per second offered`]),
    ];
    return {
      summary: parts.join(', '),
      facts: [
        ['load', sending],
        ['data', data],
        ['statements', queryMode === 'prepared' ? 'prepared' : 'sent as text'],
        ['rows drawn', distribution],
      ],
    };
  },
  prepares: ({ queryMode }) => (queryMode === 'prepared' ? 'by-protocol' : 'never'),
  statements: ({ script }) => [`sysbench ${script}`],
  // A transaction that reads changes nothing.
  defaultReset: ({ script = 'oltp_read_write' }) => [...(scripts[script].writes ? ['restore'] : []), 'checkpoint'],
  loadedBy: ({ tables, tableSize, distribution }) => ({ tables, tableSize, distribution }),
  identityWords,
  conditions,
  driver: { packages: () => [], programs: ['sysbench'], unavailable: onlyHere },
  async version(_, { signal }) {
    const { sysbenchVersion } = await import('./program.ts');
    return sysbenchVersion(signal);
  },
  async open(options) {
    const { sysbenchGenerator } = await import('./generator.ts');
    return sysbenchGenerator({ workload: single(options.workload, listed) });
  },
  async reparse(workload, folder) {
    const { reparse } = await import('./reparse.ts');
    return reparse(single(workload, listed), folder);
  },
  async outputReader() {
    const { otherThanRun, parseOutput } = await import('./output/parse-output.ts');
    return { parse: parseOutput, otherwise: otherThanRun };
  },
  measuresOf: (run) => measuresOfRun(run),
} satisfies ToolDefinition<DeclaredSysbench>;
