import { type Price, type Priced, pricedKey } from './price.ts';
import type { PriceEntry } from './kept-prices.ts';

/** What a fetch makes of the kept prices of a Region. */
export interface RenewedPrices {
  /** All that are kept from now on, in the order of the file. */
  prices: PriceEntry[];
  fetched: number;
  /** Things whose price was not kept before. */
  added: Priced[];
  changed: { priced: Priced; from: Price; to: Price }[];
  /** Kept as they were, since the fetch did not find them. */
  left: Priced[];
}

/** Replaces kept prices with fetched ones. Prices that were not fetched stay, with their own source and date. */
export function renewPrices(kept: readonly PriceEntry[], fetched: readonly PriceEntry[]): RenewedPrices {
  const byKey = (entries: readonly PriceEntry[]) => new Map(entries.map((entry) => [pricedKey(entry.priced), entry]));
  const [before, found] = [byKey(kept), byKey(fetched)];
  const after = [...new Map([...before, ...found]).values()];
  return {
    prices: after,
    fetched: found.size,
    added: after.filter(({ priced }) => !before.has(pricedKey(priced))).map(({ priced }) => priced),
    changed: after.flatMap(({ priced, low, high, per }) => {
      const from = before.get(pricedKey(priced));
      if (!from || (from.low === low && from.high === high && from.per === per)) return [];
      return [{ priced, from: { low: from.low, high: from.high, per: from.per }, to: { low, high, per } }];
    }),
    left: after.filter(({ priced }) => !found.has(pricedKey(priced))).map(({ priced }) => priced),
  };
}

/** Families that people measure, and families that they measure from. The prices of all their sizes are kept. */
const families: Partial<Record<Priced['kind'], readonly string[]>> = {
  'database-instance': [
    ...['r5', 'r5d', 'r6g', 'r6gd', 'r6i', 'r7g', 'r7i', 'r8g', 'r8gd'],
    ...['m5', 'm5d', 'm6g', 'm6gd', 'm6i', 'm7g', 'm7i', 'm8g', 'm8gd'],
  ],
  'driver-instance': [
    ...['r5', 'r6i', 'r7i', 'r6g', 'r7g', 'r8g'],
    ...['m5', 'm6i', 'm7i', 'm6g', 'm7g', 'm8g'],
    ...['c5', 'c6i', 'c6in', 'c7i', 'c6g', 'c7g', 'c8g'],
  ],
};

/** Whether its price is kept even if no experiment here needs it: everything but instances of unusual families. */
export function isUsual(priced: Priced): boolean {
  if (!('class' in priced)) return true;
  const [family = '', size = ''] = priced.class.replace(/^db\./, '').split('.');
  return (families[priced.kind]?.includes(family) ?? false) && /^\d*x?large$/.test(size);
}
