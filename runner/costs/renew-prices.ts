import { type Price, type Priced, pricedKey } from './price.ts';
import type { PriceEntry } from './price-file.ts';

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

/** Puts fetched prices in the place of kept ones. Prices that were not fetched stay, with their own source and date. */
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
