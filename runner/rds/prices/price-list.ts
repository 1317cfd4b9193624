import { GetProductsCommand, type GetProductsCommandOutput, type PricingClient } from '@aws-sdk/client-pricing';
import * as z from 'zod';
import { callAws } from '../aws/call.ts';
import { type KnownPrice, type Priced, pricedKey, type Prices } from './price.ts';
import type { PriceEntry } from './kept-prices.ts';
import { type PriceListQuery, priceListQuery } from './price-list-queries.ts';

/** Region of the Price List API, which is not in every Region. The Region whose prices are asked for is an attribute. */
export const priceListRegion = 'us-east-1';

/**
 * Asks AWS's price list for everything that an estimate needs.
 *
 * @param wanted what the estimate asks for
 * @param region Region whose prices are asked for
 * @throws {AwsCallError} if the price list cannot be asked
 */
export async function askPriceList(
  client: PricingClient,
  wanted: readonly Priced[],
  region: string,
  now: Date,
  signal: AbortSignal,
): Promise<Prices> {
  const known = new Map<string, KnownPrice | null>();
  for (const priced of wanted) {
    const key = pricedKey(priced);
    if (known.has(key)) continue;
    const query = priceListQuery(priced, region);
    const found = query === null ? [] : await ask(client, query, now, signal);
    known.set(key, found.find((entry) => pricedKey(entry.priced) === key) ?? null);
  }
  return { source: 'price-list', region, find: (priced) => known.get(pricedKey(priced)) ?? null };
}

/** One entry for each thing that was found. If a thing has several prices, they become a range. */
async function ask(
  client: PricingClient,
  query: PriceListQuery,
  now: Date,
  signal: AbortSignal,
): Promise<PriceEntry[]> {
  const origin = { words: 'AWS Price List API', date: now.toISOString().slice(0, 10) };
  const found = new Map<string, PriceEntry>();
  let nextToken: string | undefined;
  do {
    const page: GetProductsCommandOutput = await callAws('pricing:GetProducts', query.serviceCode, () =>
      client.send(
        new GetProductsCommand({
          ServiceCode: query.serviceCode,
          FormatVersion: 'aws_v1',
          Filters: Object.entries(query.attributes).map(([Field, Value]) => ({ Type: 'TERM_MATCH', Field, Value })),
          NextToken: nextToken,
        }),
        { abortSignal: signal },
      ),
    );
    for (const text of productsSchema.parse(page.PriceList)) {
      const { priced, dollars } = productOf(text, query);
      if (priced === null) continue;
      for (const one of dollars) includePrice(found, { priced, dollars: one, per: query.per, origin });
    }
    nextToken = page.NextToken;
  } while (nextToken !== undefined);
  return [...found.values()];
}

/** Adds a price to those that were found. If a thing has several prices, they become a range. */
export function includePrice(
  found: Map<string, PriceEntry>,
  { priced, dollars, per, origin }: Pick<PriceEntry, 'priced' | 'per' | 'origin'> & { dollars: number },
): void {
  // Rows of free shares and of reservations cost nothing.
  if (!(dollars > 0)) return;
  const { low = dollars, high = dollars } = found.get(pricedKey(priced)) ?? {};
  const range = { low: Math.min(low, dollars), high: Math.max(high, dollars) };
  found.set(pricedKey(priced), { priced, ...range, per, origin });
}

/** Products as JSON in strings. The SDK wraps the strings in objects of its own. */
const productsSchema = z.array(z.coerce.string()).default([]);

const productSchema = z.object({
  product: z.object({ attributes: z.record(z.string(), z.string()) }),
  terms: z.object({
    OnDemand: z
      .record(
        z.string(),
        z.object({
          priceDimensions: z.record(
            z.string(),
            z.object({ unit: z.string(), pricePerUnit: z.object({ USD: z.string().optional() }) }),
          ),
        }),
      )
      .optional(),
  }),
});

/** What a product is, and US dollars for one unit of it. `text` holds the product as JSON. */
function productOf(text: string, { identify, unit }: PriceListQuery): { priced: Priced | null; dollars: number[] } {
  const { product, terms } = productSchema.parse(JSON.parse(text));
  const dollars = Object.values(terms.OnDemand ?? {})
    .flatMap(({ priceDimensions }) => Object.values(priceDimensions))
    .filter((dimension) => dimension.unit === unit)
    .map(({ pricePerUnit }) => Number(pricePerUnit.USD ?? Number.NaN))
    .filter(Number.isFinite);
  return { priced: identify(product.attributes), dollars };
}
