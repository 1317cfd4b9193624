import { type Contrast, decidingMetric, type Decision, type Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import { controlsOf, variantsAt, withBaseline } from '../experiment/groups.ts';
import { comparedLevels, designOf, plannedContrasts } from '../experiment/plan/design.ts';
import { atLevelOf } from '../experiment/plan/start.ts';
import { placeOf } from '../places/registry.ts';
import { toolOf } from '../workloads/registry.ts';
import { type ClaimFacts, type Claims, claimsOf } from './claims.ts';
import { type Compared, compareTrials } from './compare.ts';
import { blocksIn, isPreciseEnough, looksOf } from './stopping.ts';
import { type Comparison, isSettled, type PairedTrials } from '../contract/comparison.ts';
import type { Level, Trial } from '../contract/trial.ts';
import type { WithheldReason } from '../contract/withheld.ts';
import { comparedValue, isWithheld, type Measured } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { compareMetrics, valuesOf } from './comparison-of-metrics.ts';
import { isNumber } from '../metrics/value.ts';
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
  const atLevel = atLevelOf({ ...definition, decision }, facts.start);
  return compareTrials({
    decision,
    level: atLevel.decision.level,
    trials: facts.trials,
    controls: controlsOf(definition),
    contrasts: plannedContrasts(definition),
    described: contrasts.flatMap((contrast) =>
      levels
        .filter((level) => variantsAt(definition, level).includes(contrast.candidate))
        .map((level) => ({ ...contrast, level })),
    ),
    looks: looksOf(atLevelOf({ ...declared, decision }, facts.start)),
    limit: toolOf(definition.workload).shape(definition.workload).limit,
    claims: claimsOf(facts, plan),
  });
}

/**
 * Whether a run stops after these trials, by its `until`. It never looks between the looks that were fixed beforehand.
 *
 * @param trials as they are compared: without the starts that `protocol.truncate` leaves out
 * @param place where the servers were found; by default as the experiment says
 */
export function isEnough(
  trials: readonly Trial[],
  definition: Experiment,
  place: Pick<Claims, 'sharesMachine'> = placeOf(definition),
): boolean {
  switch (definition.protocol.until) {
    case 'blocks':
      return false;
    case 'precision':
      return isPreciseEnough(trials, definition);
    case 'verdict':
      return areSettled(trials, definition, place);
  }
}

/**
 * The rule of `until: verdict`: by the code that judges the result, every candidate is better, worse or equivalent. A
 * control takes a verdict away only if it differs, so the run does not wait until it is equivalent, unless there is
 * nothing else to settle.
 */
function areSettled(
  trials: readonly Trial[],
  definition: Experiment,
  { sharesMachine }: Pick<Claims, 'sharesMachine'>,
): boolean {
  const { decision, workload } = definition;
  const looks = looksOf(definition);
  if (!looks?.some(({ blocks }) => blocks === blocksIn(trials))) return false;
  const controls = controlsOf(definition);
  const { comparisons } = compareTrials({
    decision,
    trials,
    controls,
    contrasts: plannedContrasts(definition),
    looks,
    limit: toolOf(workload).shape(workload).limit,
    claims: { ...designOf(definition), sharesMachine },
  });
  const judged = comparisons.filter(({ primary }) => primary);
  const candidates = judged.filter(({ candidate }) => !controls.includes(candidate.variant));
  return (candidates.length > 0 ? candidates : judged).every(({ verdict }) => isSettled(verdict));
}

/** Describes runs of one level that were not measured in the blocks of one run. They never get a verdict. */
export function describeRuns(request: {
  baseline: string;
  candidate: string;
  /** In which these runs differ from others of the same two sides. @default none */
  conditions?: Level;
  baselineRuns: readonly Measured[];
  candidateRuns: readonly Measured[];
  /** Runs of both sides that belong together; null if none do. */
  pairs: readonly RunsOfPair[] | null;
  decision: Decision;
  limit: WorkloadShape['limit'];
  /** Facts of `facts.identity` in which the runs differ: no metric that depends on one is compared. @default none */
  differing?: readonly string[];
  /** Why there is no verdict. */
  obstacle: WithheldReason;
}): Comparison[] {
  const {
    baselineRuns,
    candidateRuns,
    pairs: paired,
    decision,
    limit,
    obstacle,
    conditions = {},
    differing = [],
  } = request;
  const measured = [...baselineRuns, ...candidateRuns];
  const comparisons = compareMetrics({ ...request, measured, claims: { scope: null }, conditions }, (metric) => {
    const primary = metric.name === decidingMetric(decision);
    const claim = { verdict: primary ? ('descriptive' as const) : null, withheld: primary ? [obstacle] : [] };
    const compared = metric.compared ?? 'ratio';
    const isTold =
      !differing.some((name) => name === metric.dependsOn) && !measured.some((run) => isWithheld(metric, run, limit));
    const valueIn = (run: Measured): number | null => (isTold ? comparedValue(metric, run, limit) : null);
    if (!paired) {
      const [baseline, candidate] = [
        baselineRuns.map(valueIn).filter(isNumber),
        candidateRuns.map(valueIn).filter(isNumber),
      ];
      return { estimate: estimateUnpaired(baseline, candidate, compared), baseline, candidate, pairs: [], ...claim };
    }
    const pairs = paired.flatMap(({ place, ...runs }) => {
      const [baseline, candidate] = [valueIn(runs.baseline), valueIn(runs.candidate)];
      return isNumber(baseline) && isNumber(candidate) ? [{ place, baseline, candidate }] : [];
    });
    const { changes, ...estimate } = estimatePaired(pairs, compared, { level: null, unit: 'run' });
    const counted = pairs.map(({ place, ...values }, index) => ({
      ...place,
      ...values,
      change: changes[index] ?? null,
    }));
    return { estimate, pairs: counted, ...valuesOf(pairs), ...claim };
  });
  return withSideValues(comparisons);
}

/** Two runs of different sides, and where they belong. */
interface RunsOfPair {
  place: Pick<PairedTrials, 'block' | 'attempt' | 'replica'>;
  baseline: Measured;
  candidate: Measured;
}
