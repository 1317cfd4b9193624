import type { Experiment } from '../contract/experiment/schema.ts';
import { decideToStop, type Look, planLooks } from '../statistics/sequential.ts';
import { completeBlocks } from './pairs.ts';
import { leaveOutStarts } from './leave-out-starts.ts';
import { metricsOf, trialLimit } from '../metrics/catalogue.ts';
import type { Trial } from '../contract/result.ts';

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

/** The rule of `until: precision`, for every candidate at once: it stops when the last of them is known well enough. */
export function isPreciseEnough(
  trials: readonly Trial[],
  experiment: Pick<Experiment, 'protocol' | 'decision' | 'variants' | 'baseline' | 'workload'>,
): boolean {
  const looks = looksOf(experiment);
  const steady = leaveOutStarts(trials, experiment);
  const { baseline, decision, protocol, variants, workload } = experiment;
  const metric = metricsOf(trialLimit(workload)).find(({ name }) => name === decision.metric);
  if (!looks || !metric) return false;
  const widest = Math.log1p(protocol.precision ?? decision.practicalThreshold);
  return Object.keys(variants)
    .filter((variant) => variant !== baseline)
    .every((candidate) => {
      const { blocks } = completeBlocks(steady, baseline, candidate);
      const logRatios = blocks.flatMap((block) => {
        const [before, after] = block.map((trial) => metric.read(trial));
        return before && after && before > 0 && after > 0 ? [Math.log(after / before)] : [];
      });
      return logRatios.length === blocks.length && decideToStop(logRatios, looks, widest).stop;
    });
}
