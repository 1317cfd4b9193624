import type { Contrast, Decision } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import { controlsOf, variantsAt, withBaseline } from '../experiment/groups.ts';
import { comparedLevels, plannedContrasts } from '../experiment/plan/levels.ts';
import { toolOf } from '../workloads/registry.ts';
import { type ClaimFacts, claimsOf } from './claims.ts';
import { type Compared, compareTrials } from './compare.ts';
import { looksOf } from './stopping.ts';

/**
 * Compares variants of one run, by the design of its experiment and by how it ended.
 *
 * @param chosen.baseline if it is not the baseline of the experiment
 * @param plan of the run, if it was made before
 */
export function compareRun(
  facts: ClaimFacts,
  chosen: { decision: Decision; baseline?: string; contrasts?: readonly Contrast[] },
  plan?: Plan,
): Compared {
  const { decision, baseline, contrasts = [] } = chosen;
  const declared = facts.experiment.definition;
  const definition = baseline === undefined ? declared : withBaseline(declared, baseline);
  const levels = comparedLevels(definition);
  return compareTrials({
    decision,
    trials: facts.trials,
    controls: controlsOf(definition),
    contrasts: plannedContrasts(definition),
    described: contrasts.flatMap((contrast) =>
      levels
        .filter((level) => variantsAt(definition, level).includes(contrast.candidate))
        .map((level) => ({ ...contrast, level })),
    ),
    looks: looksOf({ ...definition, decision }),
    limit: toolOf(definition.workload).shape(definition.workload).limit,
    claims: claimsOf(facts, plan),
  });
}
