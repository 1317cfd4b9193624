import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { estimateCosts, lacksInstances } from './estimate.ts';
import { snapshot } from './snapshot.ts';

/**
 * US dollars that a stack costs an hour in a Region, rounded to cents. A driver needs them to keep to its limit. It is the upper end of
 * the snapshot's prices; null if the snapshot has no prices of the Region, or lacks that of an instance. Smaller things that it lacks are left out.
 */
export function stackDollarsPerHour(experiment: DeployableExperiment, region: string): number | null {
  if (region !== snapshot.region) return null;
  const costs = estimateCosts(experiment, null, snapshot);
  return lacksInstances(costs) ? null : Math.round(costs.dollarsPerHour.high * 100) / 100;
}
