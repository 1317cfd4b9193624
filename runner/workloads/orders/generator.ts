import type { Client } from '../../postgres/client.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { withConnection } from '../../postgres/connect.ts';
import { requireSettled } from '../../postgres/own-settings.ts';
import { missingFromTables, sqlArray } from '../loading.ts';
import { measureCeiling } from '../pgbench/ceiling.ts';
import { type PgbenchRunner, pgbenchRunner } from '../pgbench/generator.ts';
import { resolveLevel, scriptsIn, writeScripts } from '../pgbench/schema.ts';
import { transactionLog } from '../pgbench/transaction-log.ts';
import type { GeneratorOptions, LoadGenerator } from '../load-generator.ts';
import { asPgbench, withoutLatencies } from './as-pgbench.ts';
import { sizes } from '../tpcc.ts';
import { ordersEntered, type OrdersWorkload } from './schema.ts';
import { scriptOf, type Transaction, transactions } from './scripts.ts';

/**
 * Load generator that runs the five transactions with pgbench.
 *
 * @param mix other transactions than the standard ones, for tests
 */
export function ordersGenerator(
  { workload, programs, collect }: GeneratorOptions<OrdersWorkload>,
  mix: readonly Transaction[] = transactions,
): LoadGenerator {
  const waits = workload.waits > 0;
  const run = resolveLevel(asPgbench(workload, mix));
  async function pgbenchIn(folder: string, multipleOfWaits = workload.waits): Promise<PgbenchRunner> {
    await writeScripts(folder, Object.fromEntries(mix.map((one) => [one.name, scriptOf(one, multipleOfWaits)])));
    return pgbenchRunner({
      programs,
      scriptFolder: scriptsIn(folder),
      workload: run,
      // pgbench counts the waits in a script as latency.
      collect: collect.filter((name) => !waits || name !== transactionLog.name),
    });
  }
  return {
    async load(target, { signal, onProgress }) {
      const filled = async (client: Client): Promise<void> => {
        await requireSettled(client, target.server);
        await fill(client, workload.warehouses, onProgress);
      };
      await withConnection(target, filled, signal, { long: true });
    },
    missing: (client) => missingRows(client, workload),
    // A try need not wait for a client that keys in and thinks.
    tryScripts: async (target, request) => (await pgbenchIn(request.folder, 0)).tryScripts(target, request),
    ceiling: (target, request) =>
      measureCeiling(target, { workload: run, programs, collect, scriptFolder: request.folder }, request),
    warmUp: async (target, request) => (await pgbenchIn(request.folder)).warmUp(target, request),
    async measure(target, request) {
      const entered = (): Promise<number> => withConnection(target, ordersEntered, request.signal);
      const before = await entered();
      const { measures, run: printed, ...found } = await (await pgbenchIn(request.folder)).measure(target, request);
      const newOrders = (await entered()) - before;
      // Not the requested length: that includes connecting, and the last transactions end after it.
      const seconds = measures['load.seconds'] ?? measures['runtime'] ?? null;
      return {
        ...found,
        measures: {
          ...(waits ? withoutLatencies(measures) : measures),
          newOrders: seconds ? (newOrders / seconds) * 60 : null,
          'load.commits': commitsOf(printed, newOrders),
        },
      };
    },
  };
}

/**
 * Commits of the load: all transactions except new orders that were rolled back. pgbench's threads count by script
 * without a lock, so transactions that are missing there may have been new orders. Orders that other clients entered
 * are not commits of the load.
 */
export function commitsOf(run: Pick<ToolRun, 'transactions' | 'scripts'>, newOrders: number): number | null {
  const { transactions, scripts } = run;
  if (transactions === null) return null;
  const counted = scripts.reduce((sum, script) => sum + (script.transactions ?? 0), 0);
  const uncounted = Math.max(0, transactions - counted);
  return transactions - Math.max(0, transactionsOf(run, 'new-order') + uncounted - newOrders);
}

/** Transactions of a script, including those that were rolled back. */
function transactionsOf({ scripts }: Pick<ToolRun, 'scripts'>, name: Transaction['name']): number {
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

/**
 * What is missing from a load, each a phrase; empty if nothing is. Each warehouse comes in one transaction, keys come
 * last.
 */
function missingRows(client: Client, { warehouses }: Pick<OrdersWorkload, 'warehouses'>): Promise<string[]> {
  const names = Object.keys(tables);
  const valid = `indrelid = ANY (${sqlArray(names)}::regclass[]) AND indisvalid`;
  return missingFromTables(client, names, [
    ['warehouses', 'SELECT count(*) FROM warehouse', warehouses],
    ['items', 'SELECT coalesce(max(i_id), 0) FROM item', sizes.items],
    ['keys and indexes', `SELECT count(*) FROM pg_index WHERE ${valid}`, keys.length],
  ]);
}

/** Tables in the order in which they are created; all are empty before `fillItems` and `fillWarehouse`. */
export const tables = {
  warehouse: `w_id int NOT NULL, w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL, w_street_2 varchar(20) NOT NULL,
    w_city varchar(20) NOT NULL, w_state char(2) NOT NULL, w_zip char(9) NOT NULL, w_tax numeric(4, 4) NOT NULL,
    w_ytd numeric(12, 2) NOT NULL`,
  district: `d_w_id int NOT NULL, d_id smallint NOT NULL, d_name varchar(10) NOT NULL, d_street_1 varchar(20) NOT NULL,
    d_street_2 varchar(20) NOT NULL, d_city varchar(20) NOT NULL, d_state char(2) NOT NULL, d_zip char(9) NOT NULL,
    d_tax numeric(4, 4) NOT NULL, d_ytd numeric(12, 2) NOT NULL, d_next_o_id int NOT NULL`,
  customer: `c_w_id int NOT NULL, c_d_id smallint NOT NULL, c_id int NOT NULL, c_first varchar(16) NOT NULL, c_middle char(2) NOT NULL,
    c_last varchar(16) NOT NULL, c_street_1 varchar(20) NOT NULL, c_street_2 varchar(20) NOT NULL, c_city varchar(20) NOT NULL,
    c_state char(2) NOT NULL, c_zip char(9) NOT NULL, c_phone char(16) NOT NULL, c_since timestamptz NOT NULL,
    c_credit char(2) NOT NULL, c_credit_lim numeric(12, 2) NOT NULL, c_discount numeric(4, 4) NOT NULL,
    c_balance numeric(12, 2) NOT NULL, c_ytd_payment numeric(12, 2) NOT NULL, c_payment_cnt int NOT NULL,
    c_delivery_cnt int NOT NULL, c_data varchar(500) NOT NULL`,
  history: `h_c_id int NOT NULL, h_c_d_id smallint NOT NULL, h_c_w_id int NOT NULL, h_d_id smallint NOT NULL, h_w_id int NOT NULL,
    h_date timestamptz NOT NULL, h_amount numeric(6, 2) NOT NULL, h_data varchar(24) NOT NULL`,
  orders: `o_w_id int NOT NULL, o_d_id smallint NOT NULL, o_id int NOT NULL, o_c_id int NOT NULL, o_entry_d timestamptz NOT NULL,
    o_carrier_id smallint, o_ol_cnt smallint NOT NULL, o_all_local smallint NOT NULL`,
  new_order: `no_w_id int NOT NULL, no_d_id smallint NOT NULL, no_o_id int NOT NULL`,
  order_line: `ol_w_id int NOT NULL, ol_d_id smallint NOT NULL, ol_o_id int NOT NULL, ol_number smallint NOT NULL, ol_i_id int NOT NULL,
    ol_supply_w_id int NOT NULL, ol_delivery_d timestamptz, ol_quantity smallint NOT NULL, ol_amount numeric(6, 2) NOT NULL,
    ol_dist_info char(24) NOT NULL`,
  item: `i_id int NOT NULL, i_im_id int NOT NULL, i_name varchar(24) NOT NULL, i_price numeric(5, 2) NOT NULL, i_data varchar(50) NOT NULL`,
  stock: `s_w_id int NOT NULL, s_i_id int NOT NULL, s_quantity smallint NOT NULL, s_dist char(24)[] NOT NULL, s_ytd int NOT NULL,
    s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL, s_data varchar(50) NOT NULL`,
} as const;

/** Created after all rows, which is quicker. The last of them proves that a load has finished. */
export const keys = [
  'ALTER TABLE warehouse ADD PRIMARY KEY (w_id)',
  'ALTER TABLE district ADD PRIMARY KEY (d_w_id, d_id)',
  'ALTER TABLE item ADD PRIMARY KEY (i_id)',
  'ALTER TABLE new_order ADD PRIMARY KEY (no_w_id, no_d_id, no_o_id)',
  'ALTER TABLE orders ADD PRIMARY KEY (o_w_id, o_d_id, o_id)',
  'ALTER TABLE customer ADD PRIMARY KEY (c_w_id, c_d_id, c_id)',
  'ALTER TABLE stock ADD PRIMARY KEY (s_w_id, s_i_id)',
  'ALTER TABLE order_line ADD PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)',
  'CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first)',
  'CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)',
] as const;

/**
 * Last names are three syllables for the digits of a number (TPC-C 4.3.2.3). The scripts ask for them by number, too.
 */
const lastName = `CREATE FUNCTION last_name(number int) RETURNS varchar LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  (ARRAY['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])[number / 100 % 10 + 1]
  || (ARRAY['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])[number / 10 % 10 + 1]
  || (ARRAY['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])[number % 10 + 1]`;

/** Statements before the first row. They replace what an earlier load left. */
export const create: readonly string[] = [
  `DROP TABLE IF EXISTS ${Object.keys(tables).join(', ')}`,
  'DROP FUNCTION IF EXISTS last_name(int)',
  lastName,
  ...Object.entries(tables).map(([name, columns]) => `CREATE TABLE ${name} (${columns})`),
];

/** Text of this many characters, different for every row. */
const text = (characters: number): string =>
  `left(${Array(Math.ceil(characters / 32))
    .fill('md5(random()::text)')
    .join(' || ')}, ${characters})`;
const whole = (low: number, high: number): string => `${low} + floor(random() * ${high - low + 1})::int`;
const address = `${text(15)}, ${text(15)}, ${text(15)}, upper(${text(2)}), lpad((${whole(0, 9999)})::text, 4, '0') || '11111'`;
const taxed = 'round((random() * 0.2)::numeric, 4)';
/** One in ten is marked, as in the standard. */
const data = `CASE WHEN random() < 0.1 THEN 'ORIGINAL' || ${text(28)} ELSE ${text(36)} END`;

/** @returns a statement with the rows that all warehouses share */
const fillItems = `INSERT INTO item SELECT i, ${whole(1, 10_000)}, ${text(19)}, round((1 + random() * 99)::numeric, 2), ${data}
  FROM generate_series(1, ${sizes.items}) AS i`;

/** @returns statements that fill one warehouse, with its number as $1 */
const fillWarehouse: readonly string[] = [
  `INSERT INTO warehouse SELECT $1::int, ${text(8)}, ${address}, ${taxed}, 300000`,
  `INSERT INTO district SELECT $1::int, d, ${text(8)}, ${address}, ${taxed}, 30000, ${sizes.ordersPerDistrict + 1}
    FROM generate_series(1, ${sizes.districtsPerWarehouse}) AS d`,
  `INSERT INTO stock SELECT $1::int, i, ${whole(10, 100)},
      ARRAY[${Array(sizes.districtsPerWarehouse).fill(text(24)).join(', ')}], 0, 0, 0, ${data}
    FROM generate_series(1, ${sizes.stockPerWarehouse}) AS i`,
  // Every name occurs among the first thousand customers of a district, so a search by name always finds one.
  `INSERT INTO customer SELECT $1::int, d, c, ${text(12)}, 'OE',
      last_name(CASE WHEN c <= 1000 THEN c - 1 ELSE ((floor(random() * 256)::int | floor(random() * 1000)::int) + 123) % 1000 END),
      ${address}, lpad((floor(random() * 1e9))::text, 16, '0'), now(), CASE WHEN random() < 0.1 THEN 'BC' ELSE 'GC' END, 50000,
      round((random() * 0.5)::numeric, 4), -10, 10, 1, 0, ${text(400)}
    FROM generate_series(1, ${sizes.districtsPerWarehouse}) AS d, generate_series(1, ${sizes.customersPerDistrict}) AS c`,
  `INSERT INTO history SELECT c, d, $1::int, d, $1::int, now(), 10, ${text(18)}
    FROM generate_series(1, ${sizes.districtsPerWarehouse}) AS d, generate_series(1, ${sizes.customersPerDistrict}) AS c`,
  // Every customer has one order, in a random sequence.
  `INSERT INTO orders SELECT $1::int, d, o, c, now(),
      CASE WHEN o <= ${sizes.ordersPerDistrict - sizes.newOrdersPerDistrict} THEN ${whole(1, 10)} END, ${whole(5, 15)}, 1
    FROM (SELECT d, c, row_number() OVER (PARTITION BY d ORDER BY random()) AS o
      FROM generate_series(1, ${sizes.districtsPerWarehouse}) AS d, generate_series(1, ${sizes.ordersPerDistrict}) AS c) AS drawn`,
  `INSERT INTO new_order SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_w_id = $1 AND o_carrier_id IS NULL`,
  `INSERT INTO order_line SELECT o_w_id, o_d_id, o_id, line, ${whole(1, sizes.items)}, o_w_id,
      CASE WHEN o_carrier_id IS NULL THEN NULL ELSE o_entry_d END, 5,
      CASE WHEN o_carrier_id IS NULL THEN round((random() * 9999)::numeric, 2) ELSE 0 END, ${text(24)}
    FROM orders, generate_series(1, o_ol_cnt) AS line WHERE o_w_id = $1`,
];
