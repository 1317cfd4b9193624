import type { Client } from 'pg';
import type { Run } from '../../contract/tool-output.ts';
import { withConnection } from '../../postgres/connect.ts';
import { demandSettled } from '../../postgres/own-settings.ts';
import { missingTables, otherCount } from '../missing.ts';
import { measureCeiling } from '../pgbench/ceiling.ts';
import { type PgbenchRunner, pgbenchRunner } from '../pgbench/generator.ts';
import { scriptsIn, writeScripts } from '../pgbench/own-scripts.ts';
import { transactionLog } from '../pgbench/transaction-log.ts';
import type { GeneratorOptions, LoadGenerator } from '../tool.ts';
import { asPgbench, withoutLatencies } from './as-pgbench.ts';
import type { OrdersWorkload } from './schema.ts';
import { ordersEntered } from './new-orders.ts';
import { scriptOf, type Transaction, transactions } from './scripts.ts';
import { sizes } from './sizes.ts';
import { create, fillItems, fillWarehouse, keys, tables } from './tables.ts';

/**
 * Load generator that runs the five transactions by pgbench.
 *
 * @param mix other transactions than the standard ones, for tests
 */
export function ordersGenerator(
  { workload, programs, collect }: GeneratorOptions<OrdersWorkload>,
  mix: readonly Transaction[] = transactions,
): LoadGenerator {
  const waits = workload.waits > 0;
  async function pgbenchIn(folder: string, multipleOfWaits = workload.waits): Promise<PgbenchRunner> {
    await writeScripts(folder, Object.fromEntries(mix.map((one) => [one.name, scriptOf(one, multipleOfWaits)])));
    return pgbenchRunner({
      programs,
      scriptFolder: scriptsIn(folder),
      workload: asPgbench(workload, mix),
      // pgbench counts what clients wait in a script as latency.
      collect: collect.filter((name) => !waits || name !== transactionLog.name),
    });
  }
  return {
    async load(target, { signal, onProgress }) {
      const filled = async (client: Client): Promise<void> => {
        await demandSettled(client, target.server);
        await fill(client, workload.warehouses, onProgress);
      };
      await withConnection(target, filled, signal, { long: true });
    },
    missing: (client) => missingRows(client, workload),
    // Nobody waits for a client that keys in and thinks.
    tryOut: async (target, request) => (await pgbenchIn(request.folder, 0)).tryOut(target, request),
    ceiling: (target, request) =>
      measureCeiling(
        target,
        { workload: asPgbench(workload, mix), programs, collect, scriptFolder: request.folder },
        request,
      ),
    warmUp: async (target, request) => (await pgbenchIn(request.folder)).warmUp(target, request),
    async measure(target, request) {
      const entered = (): Promise<number> => withConnection(target, ordersEntered, request.signal);
      const before = await entered();
      const { measures, facts, warnings = [], run } = await (await pgbenchIn(request.folder)).measure(target, request);
      const newOrders = (await entered()) - before;
      // Not the length that was asked for: connecting is part of that, and the last transactions end after it.
      const seconds = measures['load.seconds'] ?? measures['runtime'] ?? null;
      return {
        measures: {
          ...(waits ? withoutLatencies(measures) : measures),
          newOrders: seconds ? (newOrders / seconds) * 60 : null,
          'load.commits': commitsOf(run, newOrders),
        },
        facts,
        warnings,
      };
    },
  };
}

/**
 * Commits of the load: all transactions but the new orders that were rolled back. pgbench's threads count by script without a lock,
 * so those that are missing there may have been new orders. Orders that nobody of ours entered are no commits of ours.
 */
export function commitsOf(run: Pick<Run, 'transactions' | 'scripts'>, newOrders: number): number | null {
  const { transactions, scripts } = run;
  if (transactions === null) return null;
  const counted = scripts.reduce((sum, script) => sum + (script.transactions ?? 0), 0);
  const uncounted = Math.max(0, transactions - counted);
  return transactions - Math.max(0, transactionsOf(run, 'new-order') + uncounted - newOrders);
}

/** Those that were carried out, with those that were rolled back. */
function transactionsOf({ scripts }: Pick<Run, 'scripts'>, name: Transaction['name']): number {
  return scripts.find((script) => script.name === name)?.transactions ?? 0;
}

async function fill(client: Client, warehouses: number, onProgress: (done: number) => void): Promise<void> {
  for (const statement of create) await client.query(statement);
  // The same rows in every variant.
  await client.query('SELECT setseed(0.5)');
  await client.query(fillItems);
  for (let warehouse = 1; warehouse <= warehouses; warehouse++) {
    await client.query('BEGIN');
    for (const statement of fillWarehouse) await client.query(statement, [warehouse]);
    await client.query('COMMIT');
    onProgress((0.9 * warehouse) / warehouses);
  }
  for (const statement of keys) await client.query(statement);
  await client.query(`VACUUM (ANALYZE) ${Object.keys(tables).join(', ')}`);
  onProgress(1);
}

/** What of a load is not there, each a phrase; empty if it is whole: each warehouse comes in one transaction, and keys last. */
async function missingRows(client: Client, { warehouses }: Pick<OrdersWorkload, 'warehouses'>): Promise<string[]> {
  const names = Object.keys(tables);
  const absent = await missingTables(client, names);
  if (absent.length > 0) return absent;
  const { rows } = await client.query<{ warehouses: number; items: number; keys: number }>(
    `SELECT (SELECT count(*) FROM warehouse)::int AS warehouses, (SELECT coalesce(max(i_id), 0) FROM item) AS items,
      (SELECT count(*) FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND indisvalid)::int AS keys`,
    [names],
  );
  const [found] = rows;
  return [
    ...otherCount('warehouses', found?.warehouses, warehouses),
    ...otherCount('items', found?.items, sizes.items),
    ...otherCount('keys and indexes', found?.keys, keys.length),
  ];
}
