import type { Experiment } from '../contract/experiment/schema.ts';
import type { Trial } from '../contract/trial.ts';
import { levelsOf } from '../experiment/plan/levels.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { decideToStop, type Look, planLooks } from '../statistics/sequential.ts';
import { toolOf } from '../workloads/registry.ts';
import { logRatios } from './log-ratios.ts';

/** The looks of `until: precision`; undefined where all blocks are measured and looked at once. */
export function looksOf({ protocol, decision }: Pick<Experiment, 'protocol' | 'decision'>): Look[] | undefined {
  return protocol.until === 'precision' ? planLooks(protocol.blocks, decision.level) : undefined;
}

/** The level of an interval of so many blocks: between looks, as after an interruption, that of the next one. */
export function levelAt(looks: readonly Look[] | undefined, blocks: number, level: number): number {
  const look = looks?.find((one) => one.blocks >= blocks) ?? looks?.at(-1);
  // What the level comes to exactly must not be missed for rounding.
  return look ? look.level - 1e-12 : level;
}

/**
 * The rule of `until: precision`, for every candidate at every level: it stops when the last of them is known well enough.
 *
 * @param trials as they count: without their starts where `protocol.truncate` leaves those out
 */
export function isPreciseEnough(
  trials: readonly Trial[],
  experiment: Pick<Experiment, 'protocol' | 'decision' | 'variants' | 'baseline' | 'workload'>,
): boolean {
  const looks = looksOf(experiment);
  const { baseline, decision, protocol, variants, workload } = experiment;
  const metric = metricNamed(decision.metric);
  if (!looks || !metric) return false;
  const tool = toolOf(workload);
  const { limit } = tool.shape(workload);
  const widest = Math.log1p(protocol.precision ?? decision.practicalThreshold);
  const candidates = Object.keys(variants).filter((variant) => variant !== baseline);
  return levelsOf(tool.axes(workload)).every((level) =>
    candidates.every((candidate) => {
      const ratios = logRatios(trials, { baseline, candidate, level }, metric, limit);
      const known = ratios.filter((ratio) => ratio !== null);
      return known.length === ratios.length && decideToStop(known, looks, widest).stop;
    }),
  );
}
