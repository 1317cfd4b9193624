import type { Comparison } from '../contract/comparison.ts';
import { decidingMetric, type Decision } from '../contract/experiment/schema.ts';
import { comparedValue, type Measured } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { compareMetrics, countedPair, isNumber, valuesOf } from './comparison-of-metrics.ts';
import type { ValuePair } from './cross-over.ts';
import { estimatePaired, estimateUnpaired } from './estimate.ts';
import { withSideValues } from './side-values.ts';

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
