import type { Comparison } from '../../../contract/comparison.ts';
import type { Trial } from '../../../contract/trial.ts';
import { excludesZero } from '../../../statistics/exact-interval.ts';
import { median } from '../../../statistics/summaries.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { toolOf } from '../../../workloads/registry.ts';
import { withinThreshold } from '../../totals.ts';
import { fail, type PairCheck, pass, warn } from '../check.ts';
import { endingShare } from '../transaction-seconds.ts';
import { wholePercent } from '../../../contract/format.ts';
import { changeRange } from '../../../contract/format-change.ts';

/** An end that is shorter than this share of the trial on both sides is not worth a line. */
const negligible = 0.01;

/**
 * Whether throughput depends on where the trials were cut. After its time, a trial lasts until its last transaction ends,
 * and clients that have finished before wait. How much that is depends on how long transactions take: it differs between
 * the sides and says nothing about their speed. The waiting of a trial is at most the time by which it overran, and at
 * most the time of a turn outside the measured latency. The verdict must hold with and without it.
 */
export const ends: PairCheck = {
  id: 'end-of-the-trials',
  name: 'end of trials',
  remedy:
    'Measure longer trials (workload.durationSeconds), or let the average latency decide (decision.metric: latency.average).',
  needsEdit: true,
  judge: ({ experiment }, { blocks, comparison, baseline, candidate }) => {
    const { workload, decision } = experiment.definition;
    const { kind, unit, reportedByLoad } = metricNamed(comparison.metric) ?? {};
    const { durationSeconds, offeredPerSecond } = toolOf(workload).shape(workload);
    if (kind !== 'rate' || unit !== '1/s' || reportedByLoad !== true || offeredPerSecond !== null) return null;
    const waits = blocks.map((block) => ({
      baseline: waitingShare(block.baseline, durationSeconds),
      candidate: waitingShare(block.candidate, durationSeconds),
    }));
    const [before, after] = [median(waits.map((one) => one.baseline)), median(waits.map((one) => one.candidate))];
    const factor = median(waits.map((one) => (1 - one.baseline) / (1 - one.candidate)));
    if (before === null || after === null || factor === null || Math.max(before, after) < negligible) return null;
    const words = `clients waited for the last transactions of others for up to ${wholePercent(before)} of the trials of ${baseline.label}, and ${wholePercent(after)} of those of ${candidate.label}`;
    const { interval } = comparison;
    const without = (change: number): number => (1 + change) * factor - 1;
    const corrected = interval && { low: without(interval.low), high: without(interval.high) };
    if (corrected && !holds(comparison, corrected, decision.practicalThreshold)) {
      return fail(`${words}: without that, the change would be ${changeRange(corrected)}`);
    }
    const isLarge = !withinThreshold({ low: factor - 1, high: factor - 1 }, decision.practicalThreshold);
    if (!isLarge) return pass(words);
    return warn(`${words}${corrected ? `: without that, the change would be ${changeRange(corrected)}` : ''}`);
  },
};

/** Whether the verdict would be the same with this interval. */
function holds(
  { verdict, interval }: Pick<Comparison, 'verdict' | 'interval'>,
  corrected: { low: number; high: number },
  practicalThreshold: number,
): boolean {
  switch (verdict) {
    case 'better':
    case 'worse':
      return excludesZero(corrected) && corrected.low > 0 === (interval?.low ?? 0) > 0;
    case 'equivalent':
      return withinThreshold(corrected, practicalThreshold);
    default:
      return true;
  }
}

function waitingShare({ measures }: Trial, durationSeconds: number | null): number {
  const { 'client.share': outside = null } = measures;
  const ending = endingShare(measures, durationSeconds);
  return outside === null ? ending : Math.min(ending, Math.max(0, outside));
}
