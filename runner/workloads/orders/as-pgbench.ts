import type { Measures } from '../../contract/metric.ts';
import { resolveLevel, type DeclaredWorkload, pgbenchSchema, type PgbenchWorkload } from '../pgbench/schema.ts';
import { reparse as readPgbenchAgain } from '../pgbench/reparse.ts';
import type { OrdersWorkload } from './schema.ts';
import { type Transaction, transactions } from './scripts.ts';

/** The load as pgbench carries it out. */
export function asPgbench(
  { warehouses, clients, threads, durationSeconds, queryMode, rate }: OrdersWorkload,
  mix: readonly Transaction[],
): PgbenchWorkload {
  const declared: DeclaredWorkload = pgbenchSchema.parse({
    tool: 'pgbench',
    scale: warehouses,
    clients,
    threads,
    durationSeconds,
    queryMode,
    ...(rate !== undefined && { rate }),
    scripts: mix.map((one) => ({ file: `${one.name}.sql`, weight: one.weight })),
  });
  return resolveLevel(declared);
}

/** pgbench counts the waits in a script as latency. */
export function withoutLatencies(measures: Measures): Measures {
  return Object.fromEntries(
    Object.entries(measures).map(([name, value]) => [name, name.startsWith('latency.') ? null : value]),
  );
}

/** Tool.reparse for orders, whose output is pgbench's. That output has no new orders: the database counts them. */
export async function reparse(
  workload: OrdersWorkload,
  folder: string,
  trial: Parameters<typeof readPgbenchAgain>[2],
): Promise<Measures> {
  const measures = await readPgbenchAgain(asPgbench(workload, transactions), folder, trial);
  return workload.waits > 0 ? withoutLatencies(measures) : measures;
}
