import type { DeployableStorage } from '../experiment/deploy/deployable.ts';
import type { Deployment } from '../contract/experiment/variant.ts';

/** Something that AWS bills by the hour or by the month, in the form in which its price is looked up. */
export type Priced =
  | { kind: 'driver-instance'; class: string }
  /** A GiB of the driver's gp3 volume. */
  | { kind: 'driver-volume' }
  | { kind: 'public-address' }
  /** An interface endpoint in one zone. */
  | { kind: 'endpoint' }
  | { kind: 'database-instance'; class: string; deployment: Deployment }
  /** A GiB. */
  | { kind: 'database-storage'; type: DeployableStorage['type']; deployment: Deployment }
  /** One of the provisioned IOPS. */
  | { kind: 'database-iops'; type: DeployableStorage['type']; deployment: Deployment }
  /** A MiB/s of gp3 beyond what its size includes. */
  | { kind: 'database-throughput'; deployment: Deployment }
  /** Database Insights beyond the free week, billed by vCPU. */
  | { kind: 'database-insights' };

/** US dollars; `low` and `high` differ if sources disagree. */
export interface Dollars {
  low: number;
  high: number;
}

/** The price of one unit for one hour or month. */
export interface Price extends Dollars {
  per: 'hour' | 'month';
}

export interface Prices {
  /** `price-list` is AWS's own, asked just now; `snapshot` lies in the project. */
  source: 'price-list' | 'snapshot';
  /** ISO date on which the prices were valid. */
  date: string;
  /** Region of the prices. */
  region: string;
  /** null if it is not known. */
  find(priced: Priced): Price | null;
}

/** Hours of a month in AWS's own bills. */
export const hoursPerMonth = 730;

export function perHour({ low, high, per }: Price): Dollars {
  return per === 'hour' ? { low, high } : times({ low, high }, 1 / hoursPerMonth);
}

export function times({ low, high }: Dollars, factor: number): Dollars {
  return { low: low * factor, high: high * factor };
}

export function total(parts: readonly Dollars[]): Dollars {
  return parts.reduce((sum, { low, high }) => ({ low: sum.low + low, high: sum.high + high }), { low: 0, high: 0 });
}
