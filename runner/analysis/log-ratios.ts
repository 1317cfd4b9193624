import type { Metric } from '../contract/metric.ts';
import type { Level, Trial } from '../contract/trial.ts';
import { comparedValue } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { countedBlocks } from './pairs.ts';

/** log(candidate / baseline) of each block that counts; null for a block without a ratio. */
export function logRatios(
  trials: readonly Trial[],
  pair: { baseline: string; candidate: string; level: Level },
  metric: Metric,
  limit: WorkloadShape['limit'],
): (number | null)[] {
  return countedBlocks(trials, pair).blocks.map(({ baseline, candidate }) => {
    const [before, after] = [comparedValue(metric, baseline, limit), comparedValue(metric, candidate, limit)];
    return before && after && before > 0 && after > 0 ? Math.log(after / before) : null;
  });
}
