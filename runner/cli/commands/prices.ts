import type { RegisterCommand } from '../io.ts';
import type { PricesOptions } from '../actions/prices.ts';

/** `pgduet prices`: fetches a Region's prices, and keeps them for plans without credentials and for drivers. */
export const registerPrices: RegisterCommand = (program, io) => {
  program
    .command('prices')
    .description('Fetch the prices of a Region from AWS, and save them for plans without credentials.')
    .option('--region <name>', 'Region of the prices (default: AWS_REGION, or us-east-1)')
    .option('--dry-run', 'show what would change, and save nothing')
    .option('--json', 'print what was fetched and what changed as JSON')
    .action(async (options: PricesOptions) => (await import('../actions/prices.ts')).prices(options, io));
};
