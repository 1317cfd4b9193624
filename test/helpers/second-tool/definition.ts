import { z } from 'zod';
import { perMinute } from '../../../runner/workloads/per-minute.ts';
import type { Tool } from '../../../runner/workloads/tool.ts';
import { increments } from './increments.ts';

export const counterSchema = z.strictObject({
  tool: z.literal('counter'),
  rows: z.int().min(1).describe('Rows that are counted up.'),
  clients: z.int().min(1).max(100).default(1),
  durationSeconds: z.int().min(1),
});

export type CounterWorkload = z.output<typeof counterSchema>;

/** A tool that is not pgbench: it increments rows over connections of its own, and has a metric of its own. */
export const counter: Tool<CounterWorkload> = {
  name: 'counter',
  schema: counterSchema,
  metrics: [
    {
      ...perMinute,
      name: 'increments.perMinute',
      label: 'increments per minute',
      source: 'what the counter says of itself',
    },
  ],
  throughput: 'increments.perMinute',
  collectors: [increments],
  problems: ({ clients = 1, rows = clients }) =>
    clients > rows ? [{ path: ['clients'], message: `more clients than rows; expected at most ${rows}` }] : [],
  axes: () => ({}),
  atLevel: (workload) => workload,
  shape: ({ clients, durationSeconds }) => ({
    clients,
    limit: 'time',
    transactions: null,
    durationSeconds,
    offeredPerSecond: null,
  }),
  durations: ({ rows, durationSeconds }) => ({
    loadedRows: { value: rows, source: 'loading takes a second' },
    trialSeconds: durationSeconds,
    rows,
    bytes: rows * 40,
    assumptions: [],
  }),
  words: ({ rows, clients, durationSeconds }) => ({
    summary: `counter with ${rows} rows, ${clients} clients, ${durationSeconds} s per trial`,
    facts: [['rows', String(rows)]],
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
  driver: { packages: () => ['counter'], programs: ['counter'] },
  version: () => Promise.resolve('counter 1'),
  async open({ workload }) {
    const { counterGenerator } = await import('./generator.ts');
    return counterGenerator(workload);
  },
  outputReader: () =>
    Promise.resolve({
      recognises: (text) => text.startsWith('counter '),
      parse: () => [],
    }),
  measuresOf: ({ tps }) => ({ measures: { tps }, facts: {} }),
};
