import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { estimateCosts, lacksInstances } from './estimate.ts';
import { snapshot } from './snapshot.ts';

/**
 * US dollars that a stack costs an hour, for a driver to keep to its limit by: the upper end of what the snapshot says, in
 * cents. null where it lacks the price of an instance; the smaller things that it lacks are left out.
 */
export function stackDollarsPerHour(experiment: DeployableExperiment): number | null {
  const costs = estimateCosts(experiment, null, snapshot);
  return lacksInstances(costs) ? null : Math.round(costs.dollarsPerHour.high * 100) / 100;
}
