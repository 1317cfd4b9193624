import path from 'node:path';
import { PricingClient } from '@aws-sdk/client-pricing';
import { exists } from '../files/look.ts';
import { billables } from './billables.ts';
import { type CostEstimate, estimateCosts } from './estimate.ts';
import { keptPrices } from './kept-prices.ts';
import type { Prices } from './price.ts';
import { askPriceList, priceListRegion } from './price-list.ts';
import { boundClient } from '../aws/bound-client.ts';
import { AwsCallError } from '../aws/call.ts';
import { type DeployableExperiment, deployable } from '../experiment/deploy/deployable.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { placeOf } from '../places/registry.ts';

export type PriceSource = 'auto' | 'live' | 'kept';

const patienceMilliseconds = 20_000;

export interface PriceQuestion {
  /** `auto` asks AWS if there are credentials, and uses the kept prices if AWS does not answer. */
  source: PriceSource;
  region: string;
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Called if the kept prices are used although AWS was asked. */
  warn: (text: string) => void;
}

/** What an experiment costs while it is deployed; null if it runs on this machine. */
export async function costsOf(
  experiment: Experiment,
  profile: string,
  expectedSeconds: number | null,
  question: PriceQuestion,
  makeClient = (): PricingClient => boundClient(PricingClient, { region: priceListRegion }, question.signal),
): Promise<CostEstimate | null> {
  if (!placeOf(experiment).isBilled) return null;
  const deployed = deployable(experiment, profile);
  return estimateCosts(deployed, expectedSeconds, await pricesFor(deployed, question, makeClient));
}

async function pricesFor(
  experiment: DeployableExperiment,
  { source, region, environment, signal: stopped, warn }: PriceQuestion,
  makeClient: () => PricingClient,
): Promise<Prices> {
  if (source === 'kept' || (source === 'auto' && !hasCredentials(environment))) return keptPrices(region);
  const client = makeClient();
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(patienceMilliseconds)]);
  try {
    const wanted = billables(experiment).map(({ priced }) => priced);
    return await askPriceList(client, wanted, region, new Date(), signal);
  } catch (error) {
    stopped.throwIfAborted();
    if (source === 'live' || !(error instanceof AwsCallError || signal.aborted)) throw error;
    warn(`Could not read AWS’s price list: ${error instanceof Error ? error.message : 'no answer'}`);
    return keptPrices(region);
  } finally {
    client.destroy();
  }
}

/** Whether credentials are set up here. This makes no request, so that a plan without credentials is quick. */
function hasCredentials(environment: PriceQuestion['environment']): boolean {
  const variables = [
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  ];
  if (variables.some((name) => (environment[name] ?? '') !== '')) return true;
  const home = environment['HOME'] ?? environment['USERPROFILE'];
  return home !== undefined && ['credentials', 'config'].some((file) => exists(path.join(home, '.aws', file)));
}
