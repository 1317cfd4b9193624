import type { Collector } from '../../collect/collector.ts';
import type { ToolDefinition } from '../extras.ts';
import { listWords } from '../lists.ts';
import { loadByPgbench } from '../pgbench/run-definition.ts';
import { loadProblems, resolveLevel } from '../pgbench/schema.ts';
import { transactionLog } from '../pgbench/transaction-log.ts';
import { asPgbench, withoutLatencies } from './as-pgbench.ts';
import { durationsOfWarehouses, unevenTables } from '../tpcc.ts';
import { bytes, type DeclaredOrders, newOrdersMetric, ordersSchema } from './schema.ts';
import { transactions } from './scripts.ts';
import { withNoun } from '../../contract/format.ts';

/**
 * Checks after each trial that nothing was lost or done twice.
 *
 * @throws when it finishes, if a consistency condition does not hold: such a trial is not a result
 */
export const consistency: Collector = {
  name: 'consistency',
  optional: false,
  metrics: [],
  start: ({ target, signal }) =>
    Promise.resolve({
      async finish() {
        const { withConnection } = await import('../../postgres/connect.ts');
        const { brokenConditions } = await import('./consistency.ts');
        const broken = await withConnection(target, brokenConditions, signal, { long: true });
        if (broken.length > 0) throw new Error(`The data is not consistent after the trial: ${broken.join('; ')}.`);
        return {};
      },
    }),
};

const byPgbench = loadByPgbench((workload: DeclaredOrders) => asPgbench(workload));

/**
 * An order-entry load like TPC-C's, with that standard's five transactions, mix, tables and skew, as scripts of
 * pgbench. It is not TPC-C: nobody audits it, and clients wait only if the experiment asks for it. Compare its figures
 * only with each other.
 */
export const orders = {
  ...byPgbench,
  name: 'orders',
  schema: ordersSchema,
  metrics: [newOrdersMetric],
  throughput: newOrdersMetric.name,
  collectors: [consistency, transactionLog],
  problems: loadProblems,
  whyUnmeasured({ waits = 0, rate }, metric) {
    if (['latency.withinLimit', 'latency.connection'].includes(metric))
      return 'it has no latency limit, and clients stay connected';
    if (metric.startsWith('lag.') && rate === undefined) return 'no transaction has a schedule; set workload.rate';
    return waits > 0 && metric.startsWith('latency.')
      ? 'latencies would include keying and thinking times; set waits to 0'
      : null;
  },
  scripts: () => transactions.map(({ name }) => name),
  durations: ({ warehouses, durationSeconds }) => ({
    loadedRows: { value: 160_000, source: 'PostgreSQL 15 on two cores and a local disk, measured for this project' },
    trialSeconds: durationSeconds,
    ...durationsOfWarehouses(warehouses, bytes),
  }),
  words({ warehouses, clients, threads, durationSeconds, rate, waits }) {
    const sending = `${listWords(clients, 'client')} on ${withNoun(threads, 'thread')}`;
    const parts = [
      `orders with ${withNoun(warehouses, 'warehouse')}`,
      sending,
      waits === 0 ? 'no waits' : `${(waits * 100).toLocaleString('en-US')}% of the standard’s waits`,
      `${durationSeconds} s per trial`,
      ...(rate === undefined ? [] : [`${listWords(rate, 'transaction')} per second offered`]),
    ];
    return {
      summary: parts.join(', '),
      facts: [
        ['load', sending],
        ['scripts', 'the five transactions of TPC-C in its mix; not TPC-C itself'],
      ],
    };
  },
  loadedBy: ({ warehouses }) => ({ warehouses }),
  ...unevenTables,
  async open(options) {
    const { ordersGenerator } = await import('./generator.ts');
    return ordersGenerator({ ...options, workload: resolveLevel(options.workload) });
  },
  // Its output has no new orders: the database counts them.
  async reparse(workload, folder, trial) {
    const measures = await byPgbench.reparse(workload, folder, trial);
    return workload.waits > 0 ? withoutLatencies(measures) : measures;
  },
} satisfies ToolDefinition<DeclaredOrders>;
