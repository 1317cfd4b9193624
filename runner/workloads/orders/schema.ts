import * as z from 'zod';
import type { Client } from '../../postgres/client.ts';
import {
  type ResolvedWorkload,
  clientsSchema,
  queryModeSchema,
  rateSchema,
  threadsSchema,
  toolWords,
} from '../pgbench/schema.ts';
import type { Metric } from '../../contract/metric.ts';
import { perMinute } from '../per-minute.ts';

export const ordersSchema = z.strictObject({
  tool: z.literal('orders').describe(toolWords),
  warehouses: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe(
      'Scale. Each warehouse has ten districts, 30,000 customers and 100,000 kinds of stock, and takes about 110 MB.',
    ),
  clients: clientsSchema,
  threads: threadsSchema,
  durationSeconds: z.int().min(1).describe('Length of a trial.'),
  queryMode: queryModeSchema,
  rate: rateSchema,
  waits: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'How long clients key in and think, as a fraction of TPC-C’s times: 0 is not at all, 1 is as in the standard, where a client does two or three transactions a minute. Above 0, pgduet reports no latencies, because they would include these waits.',
    ),
});

/** The workload as the experiment declares it. */
export type DeclaredOrders = z.output<typeof ordersSchema>;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type OrdersWorkload = ResolvedWorkload<DeclaredOrders>;

/** With indexes; measured on PostgreSQL 15 with one warehouse and with four. */
export const bytes = { perWarehouse: 110e6, items: 12.4e6 };

export const newOrdersMetric: Metric = {
  ...perMinute,
  name: 'newOrders',
  label: 'new orders per minute',
  source: 'how much the districts’ order numbers in the database grew during the trial, divided by its runtime',
};

/** Orders entered by the load and since, over all districts. An order that is rolled back gives its number back. */
export async function ordersEntered(client: Client): Promise<number> {
  const { rows } = await client.query<{ entered: number }>('SELECT sum(d_next_o_id)::float8 AS entered FROM district');
  return rows[0]?.entered ?? 0;
}
