import type { Metric } from '../contract/metric.ts';
import type { Level, Trial } from '../contract/trial.ts';
import { comparedValue } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { mean } from '../statistics/batches.ts';
import { countedBlocks } from './pairs.ts';

/**
 * log(candidate / baseline) of each block that counts, or the difference of a metric that is compared by differences; null for a
 * block without a ratio. Where each variant has several
 * servers, the mean over their pairs. `unknown` is how many blocks there are besides of which nothing is known.
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
