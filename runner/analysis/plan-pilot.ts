import path from 'node:path';
import type { CostEstimate } from '../costs/estimate.ts';
import { type Dollars, times } from '../costs/price.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { judgePilot, type PilotFinding } from './pilot.ts';
import { openFolder } from './open-result.ts';

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
 * @param pilot folder of the earlier result
 * @throws {UserError} if that folder holds no result, or no number of blocks could find the effect
 */
export async function planFromPilot(
  experiment: Experiment,
  profile: string,
  costs: CostEstimate | null,
  { pilot, effect, power, folder }: { pilot: string; effect: number; power: number; folder: string },
): Promise<PilotPlan> {
  const { result } = await openFolder(path.resolve(folder, pilot));
  const findings = judgePilot(result, experiment, { effect, power });
  const { until } = experiment.protocol;
  return { effect, power, until, needs: findings.map((finding) => ({ ...finding, ...priceOf(finding.blocksNeeded) })) };

  function priceOf(blocks: number | null): { expectedSeconds: number | null; dollars: Dollars | null } {
    if (blocks === null) return { expectedSeconds: null, dollars: null };
    const { expectedSeconds } = makePlan({ ...experiment, protocol: { ...experiment.protocol, blocks } }, profile);
    const dollars = costs && expectedSeconds !== null ? times(costs.dollarsPerHour, expectedSeconds / 3600) : null;
    return { expectedSeconds, dollars };
  }
}
