import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Collector } from '../../runner/collect/collector.ts';
import { memberName, type Metric } from '../../runner/contract/metric.ts';
import type { ToolRun } from '../../runner/contract/tool-output.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import type { Target } from '../../runner/postgres/target.ts';
import type { ToolDefinition } from '../../runner/workloads/extras.ts';
import type { LoadGenerator, OnProgress } from '../../runner/workloads/load-generator.ts';
import { perMinute } from '../../runner/workloads/per-minute.ts';
import { unreported } from '../../runner/workloads/unreported.ts';

const schema = z.strictObject({
  tool: z.literal('counter'),
  rows: z.int().min(1).describe('Rows that are counted up.'),
  clients: z.int().min(1).max(100).default(1),
  durationSeconds: z.int().min(1),
});
type Counter = z.output<typeof schema>;

const source = 'what the counter says of itself';
const perMinuteMetric = { ...perMinute, name: 'increments.perMinute', label: 'increments per minute', source };
const rowMetric: Metric = {
  name: 'increments.<row>',
  label: 'increments of row <row>',
  column: 'increments',
  unit: '1',
  kind: 'count',
  better: 'higher',
  compared: 'ratio',
  reportedByLoad: true,
  source,
};

const logName = 'counter.json';

/** Reads what the counter wrote beside the trial: its increments in each second. */
const increments: Collector = {
  name: 'increments',
  optional: true,
  metrics: [],
  start: ({ folder }) =>
    Promise.resolve({
      finish() {
        const perSecond = JSON.parse(readFileSync(path.join(folder, logName), 'utf8')) as number[];
        return Promise.resolve({ series: perSecond.map((value, second) => ({ second, name: 'tps', value })) });
      },
    }),
};

/** A tool that is not pgbench: it increments rows over connections of its own, and has a metric and a table of its own. */
export const counter = {
  name: 'counter',
  schema,
  throughput: perMinuteMetric.name,
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
  loadedBy: ({ rows }) => rows,
  driver: { packages: () => ['counter'], programs: ['counter'] },
  version: () => Promise.resolve('counter 1'),
  open: ({ workload }) => Promise.resolve(generatorOf(workload)),

  metrics: [perMinuteMetric, rowMetric],
  tables: [{ id: 'rows', title: 'Increments, by row', what: 'row', placeholder: '<row>', notes: [] }],
  collectors: [increments],
  problems: ({ clients = 1, rows = clients }) =>
    clients > rows ? [{ path: ['clients'], message: `more clients than rows; expected at most ${rows}` }] : [],
  resetSteps: {
    'counters-to-zero': {
      words: 'set the counters to zero',
      expectedSeconds: 0.1,
      statements: ['UPDATE counters SET value = 0'],
    },
  },
  defaultReset: () => ['counters-to-zero'],
  identityWords: { rows: 'the number of rows' },
  conditions: ['rows'],
  outputReader: () => Promise.resolve({ parse: (text) => (text.startsWith('counter ') ? [runOf(text)] : []) }),
} satisfies ToolDefinition<Counter>;

/** Such as `counter 1: 120 increments per minute`. */
function runOf(text: string): ToolRun {
  const perMinute = Number(/: (\d+) increments per minute/.exec(text)?.[1]);
  const measures = { [perMinuteMetric.name]: perMinute };
  return { ...unreported, tool: 'counter', tps: perMinute / 60, measures, complete: true };
}

function generatorOf({ rows, clients, durationSeconds }: Counter): LoadGenerator {
  return {
    load: (target, { signal }) =>
      withConnection(
        target,
        async (client) => {
          await client.query('CREATE TABLE counters (id int PRIMARY KEY, value bigint NOT NULL)');
          await client.query('INSERT INTO counters SELECT id, 0 FROM generate_series(0, $1 - 1) AS id', [rows]);
        },
        signal,
      ),
    async missing(client) {
      const { rows: found } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM counters');
      return found[0]?.count === rows ? [] : ['rows of counters'];
    },
    async warmUp(target, { seconds, signal, onProgress }) {
      await count(target, { clients, seconds, signal, onProgress });
    },
    async measure(target, { folder, signal, onProgress }) {
      const { perSecond, perRow } = await count(target, { clients, seconds: durationSeconds, signal, onProgress });
      writeFileSync(path.join(folder, logName), JSON.stringify(perSecond));
      const transactions = perSecond.reduce((sum, one) => sum + one, 0);
      const tps = transactions / durationSeconds;
      const byRow = Object.fromEntries(perRow.map((value, row) => [memberName(rowMetric, String(row)), value]));
      return {
        measures: { tps, transactions, runtime: durationSeconds, [perMinuteMetric.name]: tps * 60, ...byRow },
        facts: { identity: { rows }, problems: [] },
      };
    },
  };
}

/** What clients did, each to a row of its own. */
async function count(
  target: Target,
  request: { clients: number; seconds: number; signal: AbortSignal; onProgress: OnProgress },
): Promise<{ perSecond: number[]; perRow: number[] }> {
  const { clients, seconds, signal, onProgress } = request;
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const perSecond = Array<number>(Math.ceil(seconds) + 1).fill(0);
  const perRow = Array<number>(clients).fill(0);
  const client = (row: number): Promise<void> =>
    withConnection(
      target,
      async (connection) => {
        for (let at = elapsed(); at < seconds; at = elapsed()) {
          await connection.query('UPDATE counters SET value = value + 1 WHERE id = $1', [row]);
          const second = Math.min(perSecond.length - 1, Math.floor(elapsed()));
          perSecond[second] = (perSecond[second] ?? 0) + 1;
          perRow[row] = (perRow[row] ?? 0) + 1;
          onProgress({ elapsedSeconds: at, tps: perSecond[second] ?? 0 });
        }
      },
      signal,
    );
  await Promise.all(Array.from({ length: clients }, (_, row) => client(row)));
  return { perSecond, perRow };
}
