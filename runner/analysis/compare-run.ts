import { type Contrast, decidingMetric, type Decision, type Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import { controlsOf, variantsAt, withBaseline } from '../experiment/groups.ts';
import { comparedLevels, designOf, plannedContrasts } from '../experiment/plan/design.ts';
import { toolOf } from '../workloads/registry.ts';
import { type ClaimFacts, claimsOf } from './claims.ts';
import { type Compared, compareTrials } from './compare.ts';
import { blocksIn, isPreciseEnough, looksOf } from './stopping.ts';
import { type Comparison, isSettled } from '../contract/comparison.ts';
import type { Trial } from '../contract/trial.ts';
import { comparedValue, type Measured } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { compareMetrics, countedPair, valuesOf } from './comparison-of-metrics.ts';
import { isNumber } from '../metrics/value.ts';
import type { ValuePair } from './cross-over.ts';
import { estimatePaired, estimateUnpaired } from './estimate.ts';
import { withSideValues } from './side-values.ts';

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

/**
 * Whether a run stops after these trials, by its `until`. It never looks between the looks that were fixed beforehand.
 *
 * @param trials as they are compared: without the starts that `protocol.truncate` leaves out
 */
export function isEnough(trials: readonly Trial[], definition: Experiment): boolean {
  switch (definition.protocol.until) {
    case 'blocks':
      return false;
    case 'precision':
      return isPreciseEnough(trials, definition);
    case 'verdict':
      return areSettled(trials, definition);
  }
}

/** The rule of `until: verdict`: by the code that judges the result, every candidate is better, worse or equivalent. */
function areSettled(trials: readonly Trial[], definition: Experiment): boolean {
  const { decision, workload } = definition;
  const looks = looksOf(definition);
  if (!looks?.some(({ blocks }) => blocks === blocksIn(trials))) return false;
  const { comparisons } = compareTrials({
    decision,
    trials,
    controls: controlsOf(definition),
    contrasts: plannedContrasts(definition),
    looks,
    limit: toolOf(workload).shape(workload).limit,
    claims: designOf(definition),
  });
  return comparisons.filter(({ primary }) => primary).every(({ verdict }) => isSettled(verdict));
}

/** Describes runs that were not measured in the blocks of one run. They never get a verdict. */
export function describeRuns(request: {
  baseline: string;
  candidate: string;
  baselineRuns: readonly Measured[];
  candidateRuns: readonly Measured[];
  /** Whether the first runs of both sides belong together, the second ones, and so on. */
  paired: boolean;
  decision: Decision;
  limit: WorkloadShape['limit'];
  /** Why there is no verdict. */
  obstacle: string;
}): Comparison[] {
  const { baselineRuns, candidateRuns, paired, decision, limit, obstacle } = request;
  const measured = [...baselineRuns, ...candidateRuns];
  const comparisons = compareMetrics({ ...request, measured, claims: { scope: null }, conditions: {} }, (metric) => {
    const [before, after] = [baselineRuns, candidateRuns].map((runs) =>
      runs.map((run) => comparedValue(metric, run, limit)),
    ) as [(number | null)[], (number | null)[]];
    const pairs: ValuePair[] = before.flatMap((baseline, index) => {
      const candidate = after[index];
      const trials = [{ block: index + 1, attempt: 1 }];
      return isNumber(baseline) && isNumber(candidate) ? [{ trials, baseline, candidate }] : [];
    });
    const compared = metric.compared ?? 'ratio';
    const primary = metric.name === decidingMetric(decision);
    const claim = { verdict: primary ? ('descriptive' as const) : null, withheld: primary ? [obstacle] : [] };
    if (!paired) {
      const [baseline, candidate] = [before.filter(isNumber), after.filter(isNumber)];
      return { estimate: estimateUnpaired(baseline, candidate, compared), baseline, candidate, pairs: [], ...claim };
    }
    const { changes, ...estimate } = estimatePaired(pairs, compared, { level: null, unit: 'run' });
    const counted = pairs.map((pair, index) => countedPair(pair, changes[index] ?? null));
    return { estimate, pairs: counted, ...valuesOf(pairs), ...claim };
  });
  return withSideValues(comparisons);
}
