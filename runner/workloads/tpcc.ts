import type { WithTables } from './extras.ts';
import type { WorkloadDurations } from './tool.ts';

/** Rows of the tables of TPC-C 1.2.1, which two tools fill. */
export const sizes = {
  items: 100_000,
  stockPerWarehouse: 100_000,
  districtsPerWarehouse: 10,
  customersPerDistrict: 3000,
  ordersPerDistrict: 3000,
  /** The last ones of a district, which wait for their delivery. */
  newOrdersPerDistrict: 900,
  /** On average; each order has 5 to 15. */
  linesPerOrder: 10,
} as const;

/** Rows of one warehouse, in all tables; each customer also has a row in history. */
export const rowsPerWarehouse =
  1 +
  sizes.stockPerWarehouse +
  sizes.districtsPerWarehouse *
    (1 +
      2 * sizes.customersPerDistrict +
      sizes.ordersPerDistrict * (1 + sizes.linesPerOrder) +
      sizes.newOrdersPerDistrict);

/** Each order has five to fifteen lines, and each load draws the number anew. */
export const unevenTables: WithTables = { growingTable: 'order_line', drawnTables: ['order_line'] };

/** @param bytes sizes with their indexes */
export function durationsOfWarehouses(
  warehouses: number,
  bytes: { perWarehouse: number; items: number },
): Pick<WorkloadDurations, 'rows' | 'bytes' | 'assumptions'> {
  return {
    rows: sizes.items + warehouses * rowsPerWarehouse,
    bytes: bytes.items + warehouses * bytes.perWarehouse,
    assumptions: [],
  };
}
