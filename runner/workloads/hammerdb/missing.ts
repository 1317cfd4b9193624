import type { Client } from 'pg';
import { missingTables, otherCount } from '../missing.ts';
import type { HammerdbWorkload } from './schema.ts';
import { procedures, sizes, tables } from './sizes.ts';

/**
 * What of a build is not there, each a phrase; empty if it is whole. It counts all rows only of small tables, and of the
 * large ones those of the last warehouse, by their keys. Routines are made last, so that they prove that the build came to
 * its end.
 */
export async function missingFromBuild(
  client: Client,
  { warehouses, storedProcedures }: Pick<HammerdbWorkload, 'warehouses' | 'storedProcedures'>,
): Promise<string[]> {
  const absent = await missingTables(client, tables);
  if (absent.length > 0) return absent;
  const { rows } = await client.query<
    Record<'warehouses' | 'districts' | 'items' | 'customers' | 'stock' | 'orders' | 'routines', number>
  >(
    `SELECT (SELECT count(*) FROM warehouse)::int AS warehouses,
            (SELECT count(*) FROM district)::int AS districts,
            (SELECT count(*) FROM item)::int AS items,
            (SELECT count(*) FROM customer WHERE c_w_id = $1)::int AS customers,
            (SELECT count(*) FROM stock WHERE s_w_id = $1)::int AS stock,
            (SELECT count(*) FROM orders WHERE o_w_id = $1)::int AS orders,
            (SELECT count(DISTINCT proname) FROM pg_proc
              WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($2) AND prokind = $3)::int AS routines`,
    [warehouses, procedures, storedProcedures ? 'p' : 'f'],
  );
  const [found] = rows;
  const ofLast = `of warehouse ${warehouses.toLocaleString('en')}`;
  return [
    ...otherCount('warehouses', found?.warehouses, warehouses),
    ...otherCount('districts', found?.districts, warehouses * sizes.districtsPerWarehouse),
    ...otherCount('items', found?.items, sizes.items),
    ...otherCount(`customers ${ofLast}`, found?.customers, sizes.customersPerWarehouse),
    ...otherCount(`stock ${ofLast}`, found?.stock, sizes.stockPerWarehouse),
    // Trials add orders.
    ...otherCount(`orders ${ofLast}`, Math.min(found?.orders ?? 0, sizes.ordersPerWarehouse), sizes.ordersPerWarehouse),
    ...otherCount(storedProcedures ? 'procedures' : 'functions', found?.routines, procedures.length),
  ];
}
