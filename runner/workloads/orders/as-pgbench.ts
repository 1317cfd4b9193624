import type { Measures } from '../../contract/metric.ts';
import { type DeclaredWorkload, pgbenchSchema } from '../pgbench/schema.ts';
import type { DeclaredOrders } from './schema.ts';
import { type Transaction, transactions } from './scripts.ts';

/** The load as pgbench carries it out. */
export function asPgbench(
  { warehouses, clients, threads, durationSeconds, queryMode, rate }: DeclaredOrders,
  mix: readonly Transaction[] = transactions,
): DeclaredWorkload {
  return pgbenchSchema.parse({
    tool: 'pgbench',
    scale: warehouses,
    clients,
    threads,
    durationSeconds,
    queryMode,
    ...(rate !== undefined && { rate }),
    scripts: mix.map((one) => ({ file: `${one.name}.sql`, weight: one.weight })),
  });
}

/** pgbench counts the waits in a script as latency. */
export function withoutLatencies(measures: Measures): Measures {
  return Object.fromEntries(
    Object.entries(measures).map(([name, value]) => [name, name.startsWith('latency.') ? null : value]),
  );
}
