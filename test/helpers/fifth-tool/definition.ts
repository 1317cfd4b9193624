import type { ToolRun } from '../../../runner/contract/tool-output.ts';
import { perMinute } from '../../../runner/workloads/per-minute.ts';
import type { Tool } from '../../../runner/workloads/tool.ts';
import { increments, rowMetric } from './increments.ts';
import { counterSchema, type CounterWorkload, secondsOf } from './schema.ts';

/** A tool that is not pgbench: it increments rows over connections of its own, and has a metric of its own. */
export const counter: Tool<CounterWorkload> = {
  name: 'counter',
  schema: counterSchema,
  alternatives: [{ keys: ['durationSeconds', 'durationMinutes'], takeBack: 'others' }],
  metrics: [
    {
      ...perMinute,
      name: 'increments.perMinute',
      label: 'increments per minute',
      source: 'what the counter says of itself',
    },
    rowMetric,
  ],
  tables: [{ id: 'rows', title: 'Increments, by row', what: 'row', placeholder: '<row>', notes: [] }],
  throughput: 'increments.perMinute',
  collectors: [increments],
  problems: ({ clients = 1, rows = clients, durationSeconds, durationMinutes }) => [
    ...(clients > rows ? [{ path: ['clients'], message: `more clients than rows; expected at most ${rows}` }] : []),
    ...(durationSeconds !== undefined && durationMinutes !== undefined
      ? [{ path: ['durationMinutes'], message: 'stands beside durationSeconds; expected one of them' }]
      : []),
  ],
  axes: () => ({}),
  resolveLevel: (workload) => workload,
  shape: (workload) => ({
    clients: workload.clients,
    limit: 'time',
    transactions: null,
    durationSeconds: secondsOf(workload),
    offeredPerSecond: null,
  }),
  durations: (workload) => ({
    loadedRows: { value: workload.rows, source: 'loading takes a second' },
    trialSeconds: secondsOf(workload),
    rows: workload.rows,
    bytes: workload.rows * 40,
    assumptions: [],
  }),
  words: (workload) => ({
    summary: `counter with ${workload.rows} rows, ${workload.clients} clients, ${secondsOf(workload)} s per trial`,
    facts: [['rows', String(workload.rows)]],
  }),
  resetSteps: {
    'counters-to-zero': {
      words: 'set the counters to zero',
      expectedSeconds: 0.1,
      statements: ['UPDATE counters SET value = 0'],
    },
  },
  defaultReset: () => ['counters-to-zero'],
  files: () => [],
  loadedBy: ({ rows }) => rows,
  growingTable: () => null,
  identityWords: { rows: 'the number of rows' },
  conditions: ['rows'],
  driver: { packages: () => ['counter'], programs: ['counter'] },
  version: () => Promise.resolve('counter 1'),
  async open({ workload }) {
    const { counterGenerator } = await import('./generator.ts');
    return counterGenerator(workload);
  },
  outputReader: () =>
    Promise.resolve({
      parse: (text) => (text.startsWith('counter ') ? [runOf(text)] : []),
    }),
  measuresOf: ({ tps, measures }) => ({ measures: { tps, ...measures }, facts: {} }),
};

/** Such as `counter 1: 120 increments per minute`. */
function runOf(text: string): ToolRun {
  const perMinute = Number(/: (\d+) increments per minute/.exec(text)?.[1]);
  return {
    tool: 'counter',
    clientVersion: 'counter 1',
    serverVersion: null,
    clients: null,
    threads: null,
    scale: null,
    scripts: [],
    transactions: null,
    failedTransactions: null,
    skippedTransactions: null,
    retriedTransactions: null,
    durationSeconds: null,
    tps: perMinute / 60,
    latencyAverageSeconds: null,
    latencyStddevSeconds: null,
    measures: { 'increments.perMinute': perMinute },
    complete: true,
    problems: [],
  };
}
