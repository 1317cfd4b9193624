import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { estimateCosts, lacksInstances } from './estimate.ts';
import { snapshot } from './snapshot.ts';

/**
 * US dollars that a stack costs an hour, rounded to cents. A driver needs them to keep to its limit. It is the upper end of
 * the snapshot's prices; null if the snapshot lacks the price of an instance. Smaller things that it lacks are left out.
 */
export function stackDollarsPerHour(experiment: DeployableExperiment): number | null {
  const costs = estimateCosts(experiment, null, snapshot);
  return lacksInstances(costs) ? null : Math.round(costs.dollarsPerHour.high * 100) / 100;
}
