import type { Experiment } from '../contract/experiment/schema.ts';
import { type DeployableExperiment, deployable } from '../experiment/deploy/deployable.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import { demandWithinLimits, lifetimeHours } from './limits.ts';
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
  const limited = { limits: experiment.limits, lifetimeHours: lifetimeHours(experiment) };
  const costs = keptCosts(deployed, expectedSeconds, region);
  return { deployed, warnings: demandWithinLimits(limited, expectedSeconds, costs) };
}

/** The Region of a deploy, as the CDK's and AWS's command lines find it; prices of the first Region where none is named. */
export function regionOf(environment: Readonly<Record<string, string | undefined>>): string {
  const { CDK_DEFAULT_REGION, AWS_REGION, AWS_DEFAULT_REGION } = environment;
  return CDK_DEFAULT_REGION ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1';
}
