import type { Experiment } from '../contract/experiment/schema.ts';
import { type DeployableExperiment, deployable } from '../experiment/deploy/deployable.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import { checkLimits, demandWithinLimits, lifetimeHours } from './limits.ts';
import { keptCosts } from './stack-dollars.ts';

/**
 * The form of an experiment that can be deployed, if its own limits allow it.
 *
 * @param region where it would be deployed; its kept prices count
 * @returns the experiment, with warnings
 * @throws {UserError} if it cannot be deployed, or is expected to exceed a limit or to outlast its stack
 */
export function demandDeployable(
  experiment: Experiment,
  profile: string,
  region: string,
): { deployed: DeployableExperiment; warnings: string[] } {
  const deployed = deployable(experiment, profile);
  const { expectedSeconds } = makePlan(experiment, profile);
  const costs = keptCosts(deployed, expectedSeconds, region);
  const found = checkLimits(experiment.limits, lifetimeHours(experiment), expectedSeconds, costs);
  return { deployed, warnings: demandWithinLimits(found) };
}
