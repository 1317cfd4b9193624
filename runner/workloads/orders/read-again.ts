import type { Measures } from '../../contract/metric.ts';
import { readAgain as readPgbenchAgain } from '../pgbench/read-again.ts';
import { asPgbench, withoutLatencies } from './as-pgbench.ts';
import type { OrdersWorkload } from './schema.ts';
import { transactions } from './scripts.ts';

/** Tool.readAgain for the transactions of orders, whose output is pgbench's. The database counted the new orders. */
export async function readAgain(
  workload: OrdersWorkload,
  folder: string,
  trial: Parameters<typeof readPgbenchAgain>[2],
): Promise<Measures> {
  const measures = await readPgbenchAgain(asPgbench(workload, transactions), folder, trial);
  return workload.waits > 0 ? withoutLatencies(measures) : measures;
}
