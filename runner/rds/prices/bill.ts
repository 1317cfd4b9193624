import type { DeployableExperiment } from '../deploy/deployable.ts';
import { hasUnpricedInstances, keptCosts } from './estimate.ts';
import { keptRegions } from './kept-prices.ts';
import { total } from './price.ts';

/** US dollars that a stack costs an hour. */
export interface StackPrice {
  whole: number;
  /** Before a database is available: the driver and its network. */
  withoutDatabases: number;
}

/**
 * What a stack costs an hour by the kept prices of a Region, rounded to cents. A driver needs this to keep to its limit. It
 * is the sum of the upper ends of the prices; null if the price of an instance is missing. Other missing prices are left out.
 *
 * @param folder with the user's own prices. @default the working folder of the process
 */
export function stackPrice(experiment: DeployableExperiment, region: string, folder?: string): StackPrice | null {
  const costs = keptCosts(experiment, null, region, folder);
  if (hasUnpricedInstances(costs)) return null;
  const sum = (lines: typeof costs.lines): number =>
    Math.round(total(lines.flatMap(({ dollarsPerHour }) => dollarsPerHour ?? [])).high * 100) / 100;
  return { whole: sum(costs.lines), withoutDatabases: sum(costs.lines.filter(({ variant }) => variant === null)) };
}

/**
 * What a stack costs an hour, by Region, wherever its price is known: a template may be launched elsewhere than where it was
 * made.
 */
export function stackPrices(experiment: DeployableExperiment, folder: string): Map<string, StackPrice> {
  return new Map(
    keptRegions(folder).flatMap((region): [string, StackPrice][] => {
      const price = stackPrice(experiment, region, folder);
      return price === null ? [] : [[region, price]];
    }),
  );
}

/**
 * Since when the price of the whole stack would make up its bill. AWS does not bill for a database that is being created,
 * so the time before counts only with the price of the rest.
 *
 * @param databasesAt when the first database became available; null if unknown, and the whole time counts
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html#Overview.DBInstance.Status
 */
export function billedSince(
  { createdAt, databasesAt }: { createdAt: Date; databasesAt: Date | null },
  { whole, withoutDatabases }: StackPrice,
): Date {
  if (databasesAt === null) return createdAt;
  const beforeMs = Math.max(0, databasesAt.getTime() - createdAt.getTime());
  return new Date(databasesAt.getTime() - beforeMs * (withoutDatabases / whole));
}

/** What a stack has cost by now, in US dollars. @param since as `billedSince` returns it */
export function spentDollars(since: Date, { whole }: StackPrice, now: Date): number {
  return (Math.max(0, now.getTime() - since.getTime()) / 3_600_000) * whole;
}
