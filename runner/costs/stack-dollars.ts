import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { type CostEstimate, estimateCosts, lacksInstances } from './estimate.ts';
import { snapshot } from './snapshot.ts';

/**
 * What a stack costs in a Region, by the prices that are kept in the project: a deploy and a driver ask nobody.
 *
 * @returns null if no prices of the Region are kept
 */
export function keptCosts(
  experiment: DeployableExperiment,
  expectedSeconds: number | null,
  region: string,
): CostEstimate | null {
  return region === snapshot.region ? estimateCosts(experiment, expectedSeconds, snapshot) : null;
}

/**
 * US dollars that a stack costs an hour in a Region, rounded to cents. A driver needs them to keep to its limit. It is the upper end of
 * the kept prices; null if there are none of the Region, or that of an instance is lacking. Smaller things that they lack are left out.
 */
export function stackDollarsPerHour(experiment: DeployableExperiment, region: string): number | null {
  const costs = keptCosts(experiment, null, region);
  return costs === null || lacksInstances(costs) ? null : Math.round(costs.dollarsPerHour.high * 100) / 100;
}
