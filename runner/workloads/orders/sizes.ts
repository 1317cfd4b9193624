/** Rows of a load, as in TPC-C 1.2.1. */
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

/** Rows of one warehouse, in all tables. */
export const rowsPerWarehouse =
  1 +
  sizes.stockPerWarehouse +
  sizes.districtsPerWarehouse *
    (1 +
      2 * sizes.customersPerDistrict +
      sizes.ordersPerDistrict * (1 + sizes.linesPerOrder) +
      sizes.newOrdersPerDistrict);

/** With indexes; measured on PostgreSQL 15 with one warehouse and with four. */
export const bytesPerWarehouse = 110e6;
export const bytesOfItems = 12.4e6;
