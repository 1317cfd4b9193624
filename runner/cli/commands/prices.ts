import type { RegisterCommand } from '../io.ts';
import type { PricesOptions } from '../actions/prices.ts';

/** `pgduet prices`: fetches a Region's prices, and keeps them for plans without credentials and for drivers. */
export const registerPrices: RegisterCommand = (program, io) => {
  program
    .command('prices')
    .description('Fetch a Region’s prices from AWS, and keep them for plans without credentials.')
    .option('--region <name>', 'whose prices (default: AWS_REGION, else us-east-1)')
    .option('--dry-run', 'say what would change, and keep nothing')
    .option('--json', 'what was fetched and what changed as one JSON value')
    .action(async (options: PricesOptions) => (await import('../actions/prices.ts')).prices(options, io));
};
