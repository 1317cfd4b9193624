import { decidingMetric, type Experiment } from '../contract/experiment/schema.ts';
import type { Level, Trial } from '../contract/trial.ts';
import { controlsOf, type Grouped } from '../experiment/groups.ts';
import { designOf, lookPlans, plannedContrasts, togetherIn } from '../experiment/plan/design.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { decideToStop, type Look, planLooks } from '../statistics/sequential.ts';
import { toolOf } from '../workloads/registry.ts';
import type { Metric } from '../contract/metric.ts';
import { comparedValue } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { mean } from '../statistics/summaries.ts';
import { countedBlocks } from './pairs.ts';

/** The looks at which a run may stop; undefined if all blocks are measured before the only look. */
export function looksOf(
  experiment: Grouped & Pick<Experiment, 'protocol' | 'decision' | 'workload'>,
): Look[] | undefined {
  const { protocol, decision } = experiment;
  const plan = lookPlans[protocol.until];
  if (plan === null) return undefined;
  return planLooks(protocol.blocks, decision.level, { comparisons: togetherIn(experiment), plan });
}

/** Width on the scale of the metric, in logarithms or differences, at which `until: precision` stops. */
export function widestOf({ protocol, decision }: Pick<Experiment, 'protocol' | 'decision'>): number {
  const width = protocol.precision ?? decision.practicalThreshold;
  return metricNamed(decidingMetric(decision))?.compared === 'difference' ? width : Math.log1p(width);
}

/**
 * The level of an interval from this number of blocks. Between looks, for example after an interruption, the level of
 * the next look applies.
 */
export function levelAt(looks: readonly Look[] | undefined, blocks: number, level: number): number {
  const look = looks?.find((one) => one.blocks >= blocks) ?? looks?.at(-1);
  // Slightly less, so that rounding does not miss a level that can be reached exactly.
  return look ? look.level - 1e-12 : level;
}

/** Blocks that were begun, whether or not they count: looks are planned by their number. */
export function blocksIn(trials: readonly Pick<Trial, 'block'>[]): number {
  return new Set(trials.map(({ block }) => block)).size;
}

/**
 * The rule of `until: precision`. The run stops when every candidate is known precisely enough at every level.
 *
 * @param trials as they are compared: without the starts that `protocol.truncate` leaves out
 */
export function isPreciseEnough(
  trials: readonly Trial[],
  experiment: Grouped & Pick<Experiment, 'protocol' | 'decision' | 'workload'>,
): boolean {
  const looks = looksOf(experiment);
  const { decision, workload } = experiment;
  const metric = metricNamed(decidingMetric(decision));
  if (!looks || !metric) return false;
  const { limit } = toolOf(workload).shape(workload);
  const widest = widestOf(experiment);
  const { comparisons, controlled } = designOf(experiment);
  const controls = controlsOf(experiment);
  const blocks = blocksIn(trials);
  return plannedContrasts(experiment).every((contrast) => {
    const { ratios, unknown } = logRatios(trials, contrast, metric, limit);
    const known = ratios.filter((ratio) => ratio !== null);
    const together = controls.includes(contrast.candidate) ? controlled : comparisons;
    return (
      known.length === ratios.length &&
      decideToStop(known, looks, { unknown, blocks, widest, comparisons: together }).stop
    );
  });
}

/**
 * log(candidate / baseline) of each block that counts, or the difference if the metric is compared by differences; null
 * for a block without a ratio. If each variant has several servers, it is the mean over their pairs. `unknown` is the
 * number of further blocks, whose values are unknown.
 */
export function logRatios(
  trials: readonly Trial[],
  pair: { baseline: string; candidate: string; level: Level },
  metric: Metric,
  limit: WorkloadShape['limit'],
): { ratios: (number | null)[]; unknown: number } {
  const found = countedBlocks(trials, { ...pair, declared: { metric, limit } });
  const unknown = new Set(found.unknown.map(({ block }) => block));
  const ratios = new Map<number, (number | null)[]>();
  for (const { block, baseline, candidate } of found.counted) {
    if (unknown.has(block)) continue;
    const [before, after] = [comparedValue(metric, baseline, limit), comparedValue(metric, candidate, limit)];
    const ratio = metric.compared === 'difference' ? differenceOf(before, after) : logRatioOf(before, after);
    ratios.set(block, [...(ratios.get(block) ?? []), ratio]);
  }
  const means = [...ratios.values()].map((of) => {
    const known = of.filter((ratio) => ratio !== null);
    return known.length === of.length ? mean(known) : null;
  });
  return { ratios: means, unknown: unknown.size };
}

function logRatioOf(before: number | null, after: number | null): number | null {
  return before && after && before > 0 && after > 0 ? Math.log(after / before) : null;
}

function differenceOf(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before;
}
