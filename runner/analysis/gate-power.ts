import type { Result } from '../contract/result.ts';
import { decidingMetric } from '../contract/experiment/schema.ts';
import { plannedContrasts } from '../experiment/plan/design.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';
import { spreadWithin, upperSpread } from '../statistics/spread.ts';
import { toolOf } from '../workloads/registry.ts';
import { type ComparisonDesign, experiments, plannedEnd, simulatedRatios } from './blocks-needed.ts';
import { logRatios } from './stopping.ts';

/** The chance with which a regression should be found. */
export const gatePower = 0.8;
/** A larger one needs no gate. */
const maxLoss = 1;

/**
 * How much the log-ratios of two trials of a block vary in an earlier run: a standard deviation that the true one
 * exceeds with a chance of one in five. null if too few blocks tell it, or if ratios are not what is compared.
 */
export function spreadOfRun({ experiment, trials }: Pick<Result, 'experiment' | 'trials'>): number | null {
  const { definition } = experiment;
  const metric = metricNamed(decidingMetric(definition.decision));
  if (!metric || metric.compared === 'difference') return null;
  const { limit } = toolOf(definition.workload).shape(definition.workload);
  const groups = plannedContrasts(definition).map((contrast) =>
    logRatios(trials, contrast, metric, limit).ratios.filter((ratio) => ratio !== null),
  );
  const spread = spreadWithin(groups);
  return spread && upperSpread(spread);
}

/**
 * The smallest loss that a gate finds with a chance of `gatePower`, if its blocks vary this much. Runs are simulated
 * with the rule that decides real ones.
 *
 * @param blocks the most that the run measures
 * @returns relative, such as 0.08 for a throughput that is lower by a factor of 1.08; null if even twice the time would not be
 *   found
 */
export function regressionFound(spread: number, blocks: number, design: ComparisonDesign): number | null {
  const isFound = (loss: number): boolean => chanceOfFail(loss, { spread, blocks, design }) >= gatePower;
  let [low, high] = [design.decision.practicalThreshold, maxLoss];
  if (!isFound(high)) return null;
  // To a hundredth of itself.
  while (high - low > 0.01 * high) {
    const middle = (low + high) / 2;
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The chance that a gate fails if head is worse by this much: by the verdict worse, and an estimate beyond the threshold. */
export function chanceOfFail(
  loss: number,
  { spread, blocks, design }: { spread: number; blocks: number; design: ComparisonDesign },
): number {
  const endOf = plannedEnd(blocks, design);
  const limit = -Math.log1p(design.decision.practicalThreshold);
  let failed = 0;
  for (const ratios of simulatedRatios(-Math.log1p(loss), blocks, { spread })) {
    const { verdict, pairs } = endOf(ratios);
    if (verdict === 'worse' && (hodgesLehmann(ratios.slice(0, pairs)) ?? 0) < limit) failed++;
  }
  return failed / experiments;
}
