import type { Measures } from '../../contract/metric.ts';
import { atLevel } from '../pgbench/levels.ts';
import { type DeclaredWorkload, pgbenchSchema, type PgbenchWorkload } from '../pgbench/schema.ts';
import type { OrdersWorkload } from './schema.ts';
import type { Transaction } from './scripts.ts';

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
  return atLevel(declared);
}

/** pgbench counts what clients wait in a script as latency. */
export function withoutLatencies(measures: Measures): Measures {
  return Object.fromEntries(
    Object.entries(measures).map(([name, value]) => [name, name.startsWith('latency.') ? null : value]),
  );
}
