import type { Client } from 'pg';
import type { Metric } from '../../contract/metric.ts';

export const newOrdersMetric: Metric = {
  name: 'newOrders',
  label: 'new orders per minute',
  unit: '1/min',
  kind: 'rate',
  better: 'higher',
  compared: 'ratio',
  declarable: true,
  ofTheLoad: true,
  source: 'the numbers that the districts gave to orders during the trial, as the database has them, by its runtime',
};

/** Orders that were entered since the load, and before it, over all districts: one that is rolled back gives its number back. */
export async function ordersEntered(client: Client): Promise<number> {
  const { rows } = await client.query<{ entered: number }>('SELECT sum(d_next_o_id)::float8 AS entered FROM district');
  return rows[0]?.entered ?? 0;
}
