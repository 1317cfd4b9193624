import { resolveLevel } from '../../runner/workloads/pgbench/schema.ts';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../runner/postgres/client.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import { keepLoadedCopy, restoreLoadedCopy } from '../../runner/postgres/loaded-copy.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { brokenConditions } from '../../runner/workloads/orders/consistency.ts';
import { ordersGenerator, tables } from '../../runner/workloads/orders/generator.ts';
import { ordersSchema, type OrdersWorkload } from '../../runner/workloads/orders/schema.ts';
import { rowsPerWarehouse, sizes } from '../../runner/workloads/tpcc.ts';
import { type Transaction, transactions } from '../../runner/workloads/orders/scripts.ts';
import { transactionLogFolder } from '../../runner/workloads/pgbench/transaction-log.ts';
import type { LoadGenerator } from '../../runner/workloads/load-generator.ts';
import { withLostUpdate } from '../helpers/samples/lost-update.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const progress: number[] = [];
const cluster = clusterForAll({ synchronous_commit: 'off', fsync: 'off' });
let orders: Target;
beforeAll(async () => {
  orders = { ...cluster.target, database: 'orders' };
  await queryOn(cluster.target, 'CREATE DATABASE orders');
  const onProgress = (done: number): void => void progress.push(done);
  await generator({}).load(orders, { folder: cluster.folder, signal, onProgress });
  await keepLoadedCopy(orders, signal);
});
const workload = (changes: Partial<OrdersWorkload>): OrdersWorkload => ({
  ...resolveLevel(ordersSchema.parse({ tool: 'orders', warehouses: 2, clients: 8, threads: 1, durationSeconds: 2 })),
  ...changes,
});

function generator(changes: Partial<OrdersWorkload>, mix?: readonly Transaction[]): LoadGenerator {
  const options = { programs: cluster.programs, scriptFolder: '', collect: ['transaction-log'] };
  return ordersGenerator({ ...options, workload: workload(changes) }, mix);
}

let trials = 0;
async function measure(one: LoadGenerator): ReturnType<LoadGenerator['measure']> {
  const folder = path.join(cluster.folder, `trial-${++trials}`);
  mkdirSync(folder);
  return one.measure(orders, { folder, signal, seed: trials, onProgress: () => undefined });
}

const ask = <T>(use: (client: Client) => Promise<T>): Promise<T> => withConnection(orders, use, signal, { long: true });
const broken = (): Promise<string[]> => ask(brokenConditions);
/** Looks at what this makes of the database, and takes that back. */
const after = <T>(statement: string, look: (client: Client) => Promise<T>): Promise<T> =>
  ask(async (client) => {
    await client.query('BEGIN');
    await client.query(statement);
    const observed = await look(client);
    await client.query('ROLLBACK');
    return observed;
  });
async function number(query: string): Promise<number> {
  return ask(async (client) =>
    Number((await client.query<{ value: string }>(`SELECT (${query}) AS value`)).rows[0]?.value),
  );
}

describe('a load of two warehouses', () => {
  it('has the rows of the standard, is consistent, and says how far it is', async () => {
    expect(await broken()).toEqual([]);
    expect(await ask((client) => generator({}).missing(client))).toEqual([]);
    const counts = await ask(async (client) => {
      const { rows } = await client.query<Record<string, number>>(
        `SELECT (SELECT count(*) FROM customer)::int AS customers, (SELECT count(*) FROM stock)::int AS stock,
          (SELECT count(*) FROM orders)::int AS orders, (SELECT count(*) FROM new_order)::int AS new_orders,
          (SELECT count(DISTINCT c_last) FROM customer WHERE c_w_id = 1 AND c_d_id = 1)::int AS names`,
      );
      return rows[0];
    });
    expect(counts).toEqual({ customers: 60_000, stock: 200_000, orders: 60_000, new_orders: 18_000, names: 1000 });
    const rows = await number(
      Object.keys(tables)
        .map((table) => `(SELECT count(*) FROM ${table})`)
        .join(' + '),
    );
    expect(Math.abs(rows / (sizes.items + 2 * rowsPerWarehouse) - 1)).toBeLessThan(0.01);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  it('names what is missing', async () => {
    expect(
      await after('DROP INDEX orders_by_customer', (client) => generator({ warehouses: 3 }).missing(client)),
    ).toEqual(['3 warehouses (found 2)', '10 keys and indexes (found 9)']);
    expect(await after('DROP TABLE history', (client) => generator({}).missing(client))).toEqual(['table history']);
  });
});

describe.each(['simple', 'prepared'] as const)('a trial in query mode %s', (queryMode) => {
  it('does the five transactions in their mix, and counts the new orders that the database has', async () => {
    const before = await number('SELECT count(*) FROM orders');
    const { measures, facts } = await measure(generator({ queryMode, rate: 150 }));
    expect(await broken()).toEqual([]);
    const entered = (await number('SELECT count(*) FROM orders')) - before;
    expect(entered).toBeGreaterThan(0);
    expect(measures['newOrders']).toBeCloseTo((entered / (measures['runtime'] ?? 0)) * 60, 6);
    expect(measures['transactions.failed'] ?? 0).toBe(0);
    // One new order in a hundred is rolled back, and 45 transactions in a hundred are new orders.
    const share = entered / (measures['transactions'] ?? 0);
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.52);
    expect(measures['load.commits']).toBeLessThanOrEqual(measures['transactions'] ?? 0);
    expect(measures['load.commits']).toBeGreaterThan(0.98 * (measures['transactions'] ?? 0));
    for (const name of ['payment', 'order-status', 'delivery', 'stock-level']) {
      expect(JSON.stringify(facts.identity)).toContain(name);
    }
    expect(await number('SELECT count(*) FROM history')).toBeGreaterThan(60_000);
    const undelivered = 'SELECT count(*) FROM orders WHERE o_id <= 3000 AND o_carrier_id IS NULL';
    expect(await number(undelivered)).toBeLessThan(18_000);
    expect(await number('SELECT sum(s_remote_cnt) FROM stock')).toBeGreaterThan(0);
  });
});

describe('the conditions', () => {
  it.each([
    [1, 'UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 2 AND d_id = 3', 'warehouse 2'],
    [2, 'UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 2 AND d_id = 3', 'warehouse 2, district 3'],
    [3, 'DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 10 AND no_o_id = 2500', 'warehouse 1, district 10'],
    [
      4,
      'DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = 7 AND ol_number = 1',
      'warehouse 1, district 4',
    ],
  ])('find what breaks condition %i', async (condition, statement, place) => {
    expect(await after(statement, brokenConditions)).toEqual([
      expect.stringMatching(new RegExp(`^consistency condition ${condition} of TPC-C .* for ${place}$`)),
    ]);
  });

  it('hold where no new order is left to deliver', async () => {
    expect(await after('DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1', brokenConditions)).toEqual([]);
  });

  it('find the lost update of a broken payment', async () => {
    await measure(generator({ durationSeconds: 1 }, withLostUpdate(transactions)));
    expect((await broken()).join()).toMatch(
      /^consistency condition 1 of TPC-C \(the balance of a warehouse is the sum of its districts\) does not hold for warehouse [12]/,
    );
  });
});

describe('waits', () => {
  // The test before this has lost updates.
  beforeAll(() => restoreLoadedCopy(orders, signal));

  it('are left out where each transaction is tried out', async () => {
    const folder = path.join(cluster.folder, 'try-out');
    mkdirSync(folder);
    const before = performance.now();
    await generator({ waits: 1 }).tryScripts?.(orders, { folder, signal });
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(await number('SELECT count(*) FROM history')).toBe(60_002);
    expect(await broken()).toEqual([]);
  });

  it('hold clients back, and leave latencies out', async () => {
    const { measures } = await measure(generator({ waits: 0.01, durationSeconds: 4 }));
    // A new order keys in for 0.18 s and thinks for 0.12 s, a payment for 0.03 and 0.12 s: about four a second for each client.
    expect(measures['tps']).toBeGreaterThan(8);
    expect(measures['tps']).toBeLessThan(80);
    expect(measures['latency.average']).toBeNull();
    expect(measures['client.turn']).toBeGreaterThan(0.1);
    expect(readdirSync(path.join(cluster.folder, `trial-${trials}`))).not.toContain(transactionLogFolder);
  });
});
