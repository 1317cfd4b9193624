import path from 'node:path';
import { exists } from '../files/look.ts';
import { readTextIfThere } from '../files/read.ts';
import { type KnownPrice, pricedKey, type Prices } from './price.ts';
import { type PriceEntry, readPriceFile } from './price-file.ts';

const folderName = 'prices';

/**
 * The kept prices of a Region, for plans without AWS credentials and for drivers.
 *
 * @param folder with a file for each Region
 * @returns prices of which none is known if none of the Region are kept: those of another Region do not hold
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

/** What fetches the prices that are missing, as a command. */
export function pricesCommand(region: string): string {
  return `npx pgduet prices --region ${region}`;
}

/**
 * The folder with the kept prices: the nearest one of its name above the program. On a driver it lies beside the program.
 * Where the project's folder may not be written to, the program is made elsewhere, and only its launcher is in the project.
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
