import type { Decision } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import { controlsOf } from '../experiment/controls.ts';
import { comparedLevels } from '../experiment/plan/levels.ts';
import { toolOf } from '../workloads/registry.ts';
import { type ClaimFacts, claimsOf } from './claims.ts';
import { type Compared, compareTrials, type TrialsToCompare } from './compare.ts';
import { looksOf } from './stopping.ts';

/**
 * Compares variants of one run, by the design of its experiment and by how it ended.
 *
 * @param plan of the run, where it was made before
 */
export function compareRun(
  facts: ClaimFacts,
  chosen: { decision: Decision } & Pick<TrialsToCompare, 'baseline' | 'variants' | 'contrasts'>,
  plan?: Plan,
): Compared {
  const { definition } = facts.experiment;
  return compareTrials({
    ...chosen,
    trials: facts.trials,
    controls: controlsOf({ ...definition, baseline: chosen.baseline }),
    levels: comparedLevels(definition),
    looks: looksOf({ ...definition, decision: chosen.decision }),
    limit: toolOf(definition.workload).shape(definition.workload).limit,
    claims: claimsOf(facts, plan),
  });
}
