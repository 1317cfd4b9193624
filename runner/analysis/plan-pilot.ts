import path from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { CostEstimate } from '../costs/estimate.ts';
import { type Dollars, times } from '../costs/price.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { judgePilot, type PilotFinding } from './pilot.ts';
import { openFolder } from './open-result.ts';

/** What an effect needs of this experiment, if it varies as the pilot did. */
export interface PilotPlan {
  effect: number;
  power: number;
  needs: (PilotFinding & {
    /** Length of a run of as many blocks; null where nobody can foretell. */
    expectedSeconds: number | null;
    /** The same; null on this machine too. */
    dollars: Dollars | null;
  })[];
}

/**
 * Blocks, time and money from the variation of an earlier result of the same variants.
 *
 * @param pilot its folder
 * @throws {UserError} where that is no result
 */
export async function planFromPilot(
  experiment: Experiment,
  profile: string,
  costs: CostEstimate | null,
  { pilot, effect, power, folder }: { pilot: string; effect: number; power: number; folder: string },
): Promise<PilotPlan> {
  const { result } = await openFolder(path.resolve(folder, pilot));
  const generator = xoroshiro128plus(experiment.protocol.seed);
  const random = (): number => uniformFloat64(generator);
  const findings = judgePilot(result, { effect, power, decision: experiment.decision, random });
  return { effect, power, needs: findings.map((finding) => ({ ...finding, ...priceOf(finding.blocksNeeded) })) };

  function priceOf(blocks: number | null): { expectedSeconds: number | null; dollars: Dollars | null } {
    if (blocks === null) return { expectedSeconds: null, dollars: null };
    const { expectedSeconds } = makePlan({ ...experiment, protocol: { ...experiment.protocol, blocks } }, profile);
    const dollars = costs && expectedSeconds !== null ? times(costs.dollarsPerHour, expectedSeconds / 3600) : null;
    return { expectedSeconds, dollars };
  }
}
