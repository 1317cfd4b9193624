import type { Client } from 'pg';
import type { Metric } from '../../contract/metric.ts';
import { perMinute } from '../per-minute.ts';

export const newOrdersMetric: Metric = {
  ...perMinute,
  name: 'newOrders',
  label: 'new orders per minute',
  source: 'the numbers that the districts gave to orders during the trial, as the database has them, by its runtime',
};

/** Orders that were entered since the load, and before it, over all districts: one that is rolled back gives its number back. */
export async function ordersEntered(client: Client): Promise<number> {
  const { rows } = await client.query<{ entered: number }>('SELECT sum(d_next_o_id)::float8 AS entered FROM district');
  return rows[0]?.entered ?? 0;
}
