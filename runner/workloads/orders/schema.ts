import { z } from 'zod';
import type { AtLevel } from '../pgbench/levels.ts';
import { clientsSchema, queryModeSchema, rateSchema, threadsSchema } from '../pgbench/schema.ts';

export const ordersSchema = z.strictObject({
  tool: z.literal('orders'),
  warehouses: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Scale: each has ten districts, 30,000 customers and 100,000 kinds of stock, about 110 MB.'),
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
      'How long clients key in and think, in parts of TPC-C’s times: 0 not at all, 1 as in the standard, where a client does two or three transactions a minute. Latencies would hold these waits, and are left out then.',
    ),
});

/** The workload as the experiment declares it. */
export type DeclaredOrders = z.output<typeof ordersSchema>;
/** The workload of one trial: one value of everything that may be declared as a list. */
export type OrdersWorkload = AtLevel<DeclaredOrders>;
