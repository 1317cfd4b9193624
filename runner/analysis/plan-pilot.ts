import type { CostEstimate } from '../costs/estimate.ts';
import { type Dollars, times } from '../costs/price.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import type { Result } from '../contract/result.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { judgePilot, type PilotFinding } from './pilot.ts';
import { speedsOfPilot } from './pilot-speeds.ts';

/** What this experiment needs to find an effect, if it varies as the pilot did. */
export interface PilotPlan {
  effect: number;
  power: number;
  /** As in the experiment's protocol. */
  until: Experiment['protocol']['until'];
  needs: (PilotFinding & {
    /** Length of a run of `blocksNeeded` blocks, with `until: precision` at most; null if it cannot be foreseen. */
    expectedSeconds: number | null;
    /** Price of that run; null also for a run on this machine. */
    dollars: Dollars | null;
  })[];
}

/**
 * Plans blocks, time and money by the variation in an earlier result of the same variants.
 *
 * @throws {UserError} if no number of blocks could find the effect
 */
export function planFromPilot(
  experiment: Experiment,
  profile: string,
  costs: CostEstimate | null,
  { pilot, effect, power }: { pilot: Result; effect: number; power: number },
): PilotPlan {
  const speeds = speedsOfPilot(pilot, experiment);
  const findings = judgePilot(pilot, experiment, { effect, power });
  const { until } = experiment.protocol;
  return { effect, power, until, needs: findings.map((finding) => ({ ...finding, ...priceOf(finding.blocksNeeded) })) };

  function priceOf(blocks: number | null): { expectedSeconds: number | null; dollars: Dollars | null } {
    if (blocks === null) return { expectedSeconds: null, dollars: null };
    const planned = { ...experiment, protocol: { ...experiment.protocol, blocks } };
    const { expectedSeconds } = makePlan(planned, profile, [], speeds);
    const dollars = costs && expectedSeconds !== null ? times(costs.dollarsPerHour, expectedSeconds / 3600) : null;
    return { expectedSeconds, dollars };
  }
}
