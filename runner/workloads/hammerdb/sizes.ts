/** Rows of what HammerDB builds, as in TPC-C 1.2.1. */
export const sizes = {
  items: 100_000,
  districtsPerWarehouse: 10,
  customersPerWarehouse: 30_000,
  stockPerWarehouse: 100_000,
  ordersPerWarehouse: 30_000,
  newOrdersPerWarehouse: 9000,
  /** On average; each order has 5 to 15. */
  linesPerOrder: 10,
} as const;

/** Rows of one warehouse, in all tables; each customer has a row in history, too. */
export const rowsPerWarehouse =
  1 +
  sizes.districtsPerWarehouse +
  2 * sizes.customersPerWarehouse +
  sizes.stockPerWarehouse +
  sizes.ordersPerWarehouse * (1 + sizes.linesPerOrder) +
  sizes.newOrdersPerWarehouse;

/** With indexes. */
export const bytesPerWarehouse = 100e6;
export const bytesOfItems = 12e6;

export const tables = [
  'warehouse',
  'district',
  'customer',
  'history',
  'orders',
  'new_order',
  'order_line',
  'item',
  'stock',
] as const;

/** The transactions: functions or procedures of these names, and the names of their times in HammerDB's answers. */
export const procedures = ['neword', 'payment', 'delivery', 'slev', 'ostat'] as const;
