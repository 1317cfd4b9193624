import path from 'node:path';
import { makeFolder, writeFileIn } from '../../files/write.ts';
import { UserError } from '../../contract/errors.ts';
import { billables } from '../../rds/prices/billables.ts';
import {
  isUsual,
  keptPricesFile,
  ownPricesFile,
  priceFileText,
  readKeptPrices,
  regionOf,
  renewPrices,
} from '../../rds/prices/kept-prices.ts';
import { pricedKey } from '../../rds/prices/price.ts';
import { offersAddress, readOfferFiles } from '../../rds/prices/offer-files.ts';
import { deployable } from '../../rds/deploy/deployable.ts';
import { placeOf } from '../../places/registry.ts';
import { experimentNames } from '../../experiment/file/find.ts';
import { loadInParts } from '../../experiment/file/load.ts';
import { renderRenewedPrices } from '../../report/terminal/cost-text.ts';
import type { Io } from '../io.ts';
import type { Declare } from '../verb.ts';

export interface PricesOptions {
  region?: string;
  dryRun?: true;
  json?: true;
}

/**
 * Fetches the prices of a Region from the files that AWS publishes for anybody, and keeps those of the usual instance
 * families, and all that the experiments here need.
 *
 * @throws {UserError} if the files cannot be read, or have nothing for the Region
 */
export async function prices(options: PricesOptions, io: Io, address = offersAddress): Promise<void> {
  const region = options.region ?? regionOf(io.environment);
  const kept = readKeptPrices(keptPricesFile(region, io.workingFolder));
  const needed = await neededHere(io);
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const all = await readOfferFiles(region, { address, say, signal: io.signal });
  if (all.length === 0) throw new UserError(`The AWS price list has no prices for Region "${region}". Check the name.`);
  const renewed = renewPrices(
    kept,
    all.filter(({ priced }) => isUsual(priced) || needed.has(pricedKey(priced))),
  );
  const file = ownPricesFile(region, io.workingFolder);
  if (!options.dryRun) {
    const folder = path.dirname(file);
    makeFolder(folder);
    await writeFileIn(folder, path.basename(file), priceFileText(region, renewed.prices));
  }
  const shown = path.relative(io.workingFolder, file);
  const { prices: inFile, ...changes } = renewed;
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ region, file, written: !options.dryRun, kept: inFile.length, ...changes }, null, 2)}\n`
      : renderRenewedPrices(renewed, { region, file: shown, written: !options.dryRun }, io),
  );
}

/** Keys of everything that the experiments in this folder would be billed for, in any of their profiles. */
async function neededHere(io: Io): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const name of experimentNames(io.workingFolder)) {
    try {
      const { experiment, inProfiles } = await loadInParts(name, { folder: io.workingFolder }, io.signal);
      const { seed } = experiment.protocol;
      const billed = [...inProfiles]
        .map(([profile, one]) => ({ profile, experiment: { ...one, protocol: { ...one.protocol, seed } } }))
        .filter((one) => placeOf(one.experiment).isBilled)
        .flatMap((one) => billables(deployable(one.experiment, one.profile)));
      for (const { priced } of billed) keys.add(pricedKey(priced));
    } catch (error) {
      io.signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      io.stderr.write(`Skipping ${name}: ${error.message}\n`);
    }
  }
  return keys;
}

export const declare: Declare = (command, io) => {
  command
    .option('--region <name>', 'Region of the prices (default: AWS_REGION, or us-east-1)')
    .option('--dry-run', 'show changes without saving them')
    .option('--json', 'print fetched prices and changes as JSON')
    .action((options: PricesOptions) => prices(options, io));
};
