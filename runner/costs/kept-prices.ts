import path from 'node:path';
import { z } from 'zod';
import { exists } from '../files/look.ts';
import { readTextIfThere } from '../files/read.ts';
import { type KnownPrice, type Priced, pricedKey, pricedSchema, priceOriginSchema, type Prices } from './price.ts';
import { headShape, parseVersioned, toolVersion } from '../contract/versioned-file.ts';

const folderName = 'prices';

/**
 * The kept prices of a Region, for plans without AWS credentials and for drivers.
 *
 * @param folder with a file for each Region
 * @returns prices without any known one if none are kept for the Region: those of another Region do not apply
 * @throws {UserError} if the Region's file is damaged
 */
export function keptPrices(region: string, folder = keptPricesFolder()): Prices {
  const known = new Map<string, KnownPrice>(
    readKeptPrices(region, folder).map(({ priced, ...price }) => [pricedKey(priced), price]),
  );
  return { source: 'kept', region, find: (priced) => known.get(pricedKey(priced)) ?? null };
}

/** All kept prices of a Region; empty if none are kept. */
export function readKeptPrices(region: string, folder: string): PriceEntry[] {
  const file = keptPricesFile(region, folder);
  const text = readTextIfThere(file);
  return text === null ? [] : readPriceFile(text, file).prices;
}

export function keptPricesFile(region: string, folder: string): string {
  return path.join(folder, `${region}.json`);
}

/** The command that fetches the missing prices. */
export function pricesCommand(region: string): string {
  return `npx pgduet prices --region ${region}`;
}

/**
 * The folder with the kept prices: the nearest one of its name above the program. On a driver, it is beside the
 * program. If the project's folder is not writable, the program is built elsewhere, and only its launcher is in the
 * project.
 */
export function keptPricesFolder(): string {
  const starts = [import.meta.dirname, path.dirname(process.argv[1] ?? '')];
  const candidates = starts.flatMap(foldersAbove).map((folder) => path.join(folder, folderName));
  return candidates.find((folder) => exists(folder)) ?? path.resolve(folderName);
}

function foldersAbove(start: string): string[] {
  const folder = path.resolve(start);
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

const dollars = z.number().positive();

const entrySchema = z.object({
  priced: pricedSchema,
  low: dollars,
  high: dollars,
  per: z.enum(['hour', 'month']),
  /** Name of one of the file's sources. */
  source: z.string(),
});

const priceHead = { kind: 'pgduet-prices', schemaVersion: 1 } as const;

const priceFileSchema = z
  .object({
    ...headShape(priceHead),
    toolVersion: z.string(),
    region: z.string(),
    /** Where the prices come from, by a short name. */
    sources: z.record(z.string(), priceOriginSchema),
    prices: z.array(entrySchema.refine(({ low, high }) => low <= high, 'low is above high')),
  })
  .superRefine(({ sources, prices }, context) => {
    for (const { source, priced } of prices) {
      if (!(source in sources)) {
        context.addIssue({
          code: 'custom',
          message: `${pricedKey(priced)} names the source ${source}, which is not among the sources`,
        });
      }
    }
  });

/** The prices of one Region as prices/REGION.json keeps them. */
const priceFile = {
  ...priceHead,
  what: 'a file of prices',
  schema: priceFileSchema,
  remedy: 'Remove it, and make a new one with: npx pgduet prices --region REGION',
  olderRemedy: 'Remove it, and make a new one with: npx pgduet prices --region REGION',
};

/** A price with what it is the price of. */
export interface PriceEntry extends KnownPrice {
  priced: Priced;
}

/** @throws {UserError} if the text is no file of prices, or is damaged */
export function readPriceFile(text: string, source: string): { region: string; prices: PriceEntry[] } {
  const { region, sources, prices } = parseVersioned(text, source, priceFile);
  return {
    region,
    prices: prices.flatMap(({ source: name, ...price }) => {
      const origin = sources[name];
      return origin ? [{ ...price, origin }] : [];
    }),
  };
}

/** The text of a file of prices: one price a line, so that a diff shows each change on its own. */
export function priceFileText(region: string, prices: readonly PriceEntry[]): string {
  const origins = [...new Map(prices.map(({ origin }) => [JSON.stringify(origin), origin])).values()];
  const names = new Map(origins.map((origin, index) => [JSON.stringify(origin), `source-${index + 1}`]));
  const head = {
    ...priceHead,
    toolVersion,
    region,
    sources: Object.fromEntries(origins.map((origin, index) => [`source-${index + 1}`, origin])) as object,
  };
  const lines = prices.map(({ origin, ...price }) =>
    JSON.stringify({ ...price, source: names.get(JSON.stringify(origin)) }),
  );
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "prices": [\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}
