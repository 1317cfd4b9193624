import type { Billable } from './billables.ts';
import { type Dollars, hoursPerMonth, perHour, type Priced, type PriceOrigin, type Prices, times } from './price.ts';

export interface CostLine {
  /** null for the driver and what belongs to it. */
  variant: string | null;
  what: string;
  priced: Priced;
  /** Whether it is part of a dedicated log volume. */
  logVolume: boolean;
  dollarsPerHour: Dollars | null;
  /** For a month of 730 hours. */
  dollarsPerMonth: Dollars | null;
  /** Where the price comes from; null if it is not known. */
  origin: PriceOrigin | null;
}

/** What each of them costs, by these prices. */
export function costLines(billed: readonly Billable[], prices: Prices): CostLine[] {
  return billed.map(({ variant, what, logVolume, priced, quantity }) => {
    const price = prices.find(priced);
    const dollarsPerHour = price && times(perHour(price), quantity);
    const dollarsPerMonth = dollarsPerHour && times(dollarsPerHour, hoursPerMonth);
    const origin = price && price.origin;
    return { variant, what, priced, logVolume, dollarsPerHour, dollarsPerMonth, origin };
  });
}
