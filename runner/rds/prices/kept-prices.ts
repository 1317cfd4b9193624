import path from 'node:path';
import * as z from 'zod';
import { exists, namesIn } from '../../files/look.ts';
import { ownFile } from '../../files/own-files.ts';
import { readTextIfThere } from '../../files/read.ts';
import {
  type KnownPrice,
  type Price,
  type Priced,
  pricedKey,
  pricedSchema,
  priceOriginSchema,
  type Prices,
} from './price.ts';
import { headShape, parseVersioned } from '../../contract/versioned-file.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { ownCommand } from '../../contract/own-command.ts';

/** Folder with a file of kept prices for each Region, beside the user's experiments or among pgduet's own files. */
export const pricesFolder = 'prices';

/**
 * The kept prices of a Region, for plans without AWS credentials and for drivers.
 *
 * @param file of the Region
 * @returns prices without any known one if none are kept for the Region: those of another Region do not apply
 * @throws {UserError} if the Region's file is damaged
 */
export function keptPrices(region: string, file = keptPricesFile(region)): Prices {
  const known = new Map<string, KnownPrice>(
    readKeptPrices(file).map(({ priced, ...price }) => [pricedKey(priced), price]),
  );
  return { source: 'kept', region, find: (priced) => known.get(pricedKey(priced)) ?? null };
}

/** All prices that a file keeps; empty if there is no such file. */
export function readKeptPrices(file: string): PriceEntry[] {
  const text = readTextIfThere(file);
  return text === null ? [] : readPriceFile(text, file).prices;
}

/** The file with the kept prices of a Region: the user's own in the working folder, otherwise the one that comes with pgduet. */
export function keptPricesFile(region: string, workingFolder = process.cwd()): string {
  const own = ownPricesFile(region, workingFolder);
  return exists(own) ? own : ownFile(pricesFolder, path.basename(own));
}

/** The Regions for which prices are kept, by the user or by pgduet. */
export function keptRegions(workingFolder = process.cwd()): string[] {
  const files = [path.join(workingFolder, pricesFolder), ownFile(pricesFolder)].flatMap(namesIn);
  const regions = files.flatMap((file) => /^([a-z]{2,}(?:-[a-z]+)+-\d+)\.json$/.exec(file)?.[1] ?? []);
  return [...new Set(regions)].sort();
}

/** The file in which the user's own prices of a Region are kept. */
export function ownPricesFile(region: string, workingFolder: string): string {
  return path.join(workingFolder, pricesFolder, `${region}.json`);
}

/** The command that fetches the missing prices. */
export function pricesCommand(region: string): string {
  return `${ownCommand} prices --region ${region}`;
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
  remedy: `Remove it, and make a new one with: ${ownCommand} prices --region REGION`,
  olderRemedy: `Remove it, and make a new one with: ${ownCommand} prices --region REGION`,
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

/** Classes that people measure, and types that they measure from, of every generation: AWS brings new ones each year. */
const commonClasses: Partial<Record<Priced['kind'], RegExp>> = {
  'database-instance': /^db\.[mr]\d+[a-z]*\.\d*x?large$/,
  'driver-instance': /^[cmr]\d+[a-z]*\.\d*x?large$/,
};

/** Whether its price is kept even if no experiment here needs it: everything but instances of unusual families. */
export function isUsual(priced: Priced): boolean {
  if (!('class' in priced)) return true;
  return commonClasses[priced.kind]?.test(priced.class) ?? false;
}

/** The Region of a deploy, as the CDK's and AWS's command lines find it; us-east-1 if none is named. */
export function regionOf(environment: Readonly<Record<string, string | undefined>>): string {
  return namedRegion(environment) ?? 'us-east-1';
}

/** undefined if the environment names none. */
export function namedRegion({
  CDK_DEFAULT_REGION,
  AWS_REGION,
  AWS_DEFAULT_REGION,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  return CDK_DEFAULT_REGION ?? AWS_REGION ?? AWS_DEFAULT_REGION;
}
