import { type Decision, decidingMetric, usualThreshold } from '../../contract/experiment/schema.ts';
import { metricNamed } from '../../metrics/catalogue.ts';

/**
 * The smallest relative change of a level, such as that of throughput, which matters. It is the declared threshold, unless that is
 * in points of a share: a thousandth of the transactions says nothing of a thousandth of the throughput.
 */
export function leastLevelChange(decision: Pick<Decision, 'metric' | 'script' | 'practicalThreshold'>): number {
  const isInPoints = metricNamed(decidingMetric(decision))?.compared === 'difference';
  return isInPoints ? usualThreshold : decision.practicalThreshold;
}
