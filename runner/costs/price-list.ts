import { GetProductsCommand, type GetProductsCommandOutput, type PricingClient } from '@aws-sdk/client-pricing';
import { z } from 'zod';
import { callAws } from '../aws/call.ts';
import type { Price, Priced, Prices } from './price.ts';
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
  const known = new Map<string, Price | null>();
  for (const priced of wanted) {
    const key = JSON.stringify(priced);
    if (known.has(key)) continue;
    const query = priceListQuery(priced, region);
    known.set(key, query && (await ask(client, query, signal)));
  }
  return {
    source: 'price-list',
    date: now.toISOString().slice(0, 10),
    region,
    find: (priced) => known.get(JSON.stringify(priced)) ?? null,
  };
}

async function ask(client: PricingClient, query: PriceListQuery, signal: AbortSignal): Promise<Price | null> {
  const found: number[] = [];
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
    found.push(...productsSchema.parse(page.PriceList).flatMap((product) => dollarsOf(product, query)));
    nextToken = page.NextToken;
  } while (nextToken !== undefined);
  // Rows of free shares and of reservations cost nothing. If several rows remain, the price is known as a range.
  const prices = found.filter((dollars) => dollars > 0);
  return prices.length === 0 ? null : { low: Math.min(...prices), high: Math.max(...prices), per: query.per };
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

/** US dollars for one unit of a product; empty for another product. `text` holds the product as JSON. */
function dollarsOf(text: string, { isMeant, unit }: PriceListQuery): number[] {
  const { product, terms } = productSchema.parse(JSON.parse(text));
  if (!isMeant(product.attributes)) return [];
  return Object.values(terms.OnDemand ?? {})
    .flatMap(({ priceDimensions }) => Object.values(priceDimensions))
    .filter((dimension) => dimension.unit === unit)
    .map(({ pricePerUnit }) => Number(pricePerUnit.USD ?? Number.NaN))
    .filter(Number.isFinite);
}
