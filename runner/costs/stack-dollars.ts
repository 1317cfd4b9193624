import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { type CostEstimate, estimateCosts, lacksInstances } from './estimate.ts';
import { keptPrices } from './kept-prices.ts';

/** What a stack costs in a Region, by the prices that are kept for it: a deploy and a driver ask nobody. */
export function keptCosts(
  experiment: DeployableExperiment,
  expectedSeconds: number | null,
  region: string,
): CostEstimate {
  return estimateCosts(experiment, expectedSeconds, keptPrices(region));
}

/**
 * US dollars that a stack costs an hour in a Region, rounded to cents. A driver needs them to keep to its limit. It is the
 * upper end of the kept prices; null if that of an instance is lacking. Smaller things that they lack are left out.
 */
export function stackDollarsPerHour(experiment: DeployableExperiment, region: string): number | null {
  const costs = keptCosts(experiment, null, region);
  return lacksInstances(costs) ? null : Math.round(costs.dollarsPerHour.high * 100) / 100;
}
