import { PricingClient } from '@aws-sdk/client-pricing';
import { boundClient } from '../aws/bound-client.ts';
import { AwsCallError } from '../aws/call.ts';
import { keptPrices, keptPricesFile } from './kept-prices.ts';
import type { Priced, Prices } from './price.ts';
import { askPriceList, priceListRegion } from './price-list.ts';

const patienceMilliseconds = 20_000;

export type PriceSource = 'auto' | 'live' | 'kept';

export interface PriceQuestion {
  /** `auto` asks AWS if there are credentials, and uses the kept prices if AWS does not answer. */
  source: PriceSource;
  region: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Where the user's own kept prices are. @default the working folder of the process */
  workingFolder?: string;
  signal: AbortSignal;
  /** Called if the kept prices are used although AWS was asked. */
  warn: (text: string) => void;
}

/**
 * Prices from AWS's price list; with `auto`, the kept prices and a warning if AWS does not answer.
 *
 * @param wanted what the estimate asks for
 * @throws {AwsCallError} with `live`, if the price list cannot be asked
 */
export async function livePrices(
  wanted: readonly Priced[],
  { source, region, workingFolder, signal: stopped, warn }: PriceQuestion,
  makeClient = (): PricingClient => boundClient(PricingClient, { region: priceListRegion }, stopped),
): Promise<Prices> {
  const client = makeClient();
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(patienceMilliseconds)]);
  try {
    return await askPriceList(client, wanted, region, new Date(), signal);
  } catch (error) {
    stopped.throwIfAborted();
    if (source === 'live' || !(error instanceof AwsCallError || signal.aborted)) throw error;
    warn(`Could not read AWS’s price list: ${error instanceof Error ? error.message : 'no answer'}`);
    return keptPrices(region, keptPricesFile(region, workingFolder));
  } finally {
    client.destroy();
  }
}
