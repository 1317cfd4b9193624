import * as z from 'zod';
import { deploymentNames } from '../deployments/registry.ts';

const deployment = z.enum(deploymentNames);
const type = z.enum(['io1', 'io2', 'gp3']);

/** Something that AWS bills by the hour or by the month, in the form in which its price is looked up. */
export const pricedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('driver-instance'), class: z.string() }),
  /** A GiB of the driver's gp3 volume. */
  z.object({ kind: z.literal('driver-volume') }),
  z.object({ kind: z.literal('public-address') }),
  /** An interface endpoint in one zone. */
  z.object({ kind: z.literal('endpoint') }),
  z.object({ kind: z.literal('database-instance'), class: z.string(), deployment }),
  /** A GiB. */
  z.object({ kind: z.literal('database-storage'), type, deployment }),
  /** One of the provisioned IOPS. */
  z.object({ kind: z.literal('database-iops'), type, deployment }),
  /** A MiB/s of gp3 beyond what its size includes. */
  z.object({ kind: z.literal('database-throughput'), deployment }),
  /** RDS Proxy for one vCPU of its database. */
  z.object({ kind: z.literal('database-proxy') }),
  /** Database Insights for one vCPU: advanced, or standard for longer than the free week. */
  z.object({ kind: z.literal('database-insights'), mode: z.enum(['standard', 'advanced']) }),
]);

export type Priced = z.output<typeof pricedSchema>;

/** A text that is the same for the same thing, whatever the order of its fields. */
export function pricedKey(priced: Priced): string {
  return Object.entries(priced)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** US dollars; `low` and `high` differ if sources disagree. */
export interface Dollars {
  low: number;
  high: number;
}

/** The price of one unit for one hour or month. */
export interface Price extends Dollars {
  per: 'hour' | 'month';
}

/** Where a price comes from. */
export const priceOriginSchema = z.object({
  words: z.string(),
  url: z.string().optional(),
  /** ISO date that the source states; for a source without a date, the date on which it was read. */
  date: z.iso.date(),
});

export type PriceOrigin = z.output<typeof priceOriginSchema>;

export interface KnownPrice extends Price {
  origin: PriceOrigin;
}

/** The prices of one Region. They apply in no other. */
export interface Prices {
  /** `price-list` is AWS's own, asked just now; `kept` is in the project. */
  source: 'price-list' | 'kept';
  region: string;
  /** null if it is not known. */
  find: (priced: Priced) => KnownPrice | null;
}

/** Hours of a month in AWS's own bills. */
export const hoursPerMonth = 730;

export function perHour({ low, high, per }: Price): Dollars {
  return per === 'hour' ? { low, high } : times({ low, high }, 1 / hoursPerMonth);
}

export function times({ low, high }: Dollars, factor: number): Dollars {
  return { low: low * factor, high: high * factor };
}

/** ISO dates of the oldest and of the newest of several prices. */
export interface Dates {
  from: string;
  to: string;
}

/** null if none of them has a date. */
export function datesOf(dates: readonly (string | null | undefined)[]): Dates | null {
  const known = dates.flatMap((date) => date ?? []).sort();
  const [from, to] = [known[0], known.at(-1)];
  return from === undefined || to === undefined ? null : { from, to };
}

export function total(parts: readonly Dollars[]): Dollars {
  return parts.reduce((sum, { low, high }) => ({ low: sum.low + low, high: sum.high + high }), { low: 0, high: 0 });
}
