import type { Deployment } from '../contract/experiment/variant.ts';
import { type Price, type Priced, type Prices, times } from './price.ts';

/**
 * Prices for a plan without AWS credentials: on demand, for us-east-1, as AWS published them on this date. Prices that are
 * missing here were not looked up. The Price List API knows them.
 */
export const snapshot: Prices = {
  source: 'snapshot',
  date: '2026-11-21',
  region: 'us-east-1',
  find: findInSnapshot,
};

/** EC2 with Linux, US dollars an hour. */
const driverInstances: Record<string, number> = { 'r5.4xlarge': 1.008 };

/** RDS for PostgreSQL, Single-AZ, US dollars an hour. */
const databaseInstances: Record<string, { low: number; high: number }> = {
  'db.r6g.2xlarge': { low: 0.899, high: 0.899 },
  'db.r7g.2xlarge': { low: 0.956, high: 0.956 },
  // Sources disagree.
  'db.r5.16xlarge': { low: 7.68, high: 8.06 },
};

/**
 * Single-AZ, US dollars a month for one GiB. Those of io2 are also in "DLV with HammerDB on Multi-AZ", AWS Database Blog,
 * 2024.
 */
const storage = { io1: 0.125, io2: 0.125, gp3: 0.115 };

/** Single-AZ, US dollars a month for one of the IOPS. */
const iops = { io1: 0.1, io2: 0.1, gp3: 0.02 };

/** How often everything is billed: twice for a Multi-AZ instance, three times with readable standbys. */
const copies: Record<Deployment, number> = { 'single-az': 1, 'multi-az-instance': 2, 'multi-az-cluster': 3 };

function findInSnapshot(priced: Priced): Price | null {
  switch (priced.kind) {
    case 'driver-instance':
      return exactly(driverInstances[priced.class], 'hour');
    case 'database-instance': {
      const price = databaseInstances[priced.class];
      return price === undefined ? null : { ...times(price, copies[priced.deployment]), per: 'hour' };
    }
    case 'database-storage':
      return exactly(storage[priced.type] * copies[priced.deployment], 'month');
    case 'database-iops':
      return exactly(iops[priced.type] * copies[priced.deployment], 'month');
    case 'driver-volume':
    case 'public-address':
    case 'endpoint':
    case 'database-throughput':
    case 'database-insights':
      return null;
  }
}

function exactly(dollars: number | undefined, per: Price['per']): Price | null {
  return dollars === undefined ? null : { low: dollars, high: dollars, per };
}
