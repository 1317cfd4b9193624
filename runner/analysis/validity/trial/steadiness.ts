import type { Trial } from '../../../contract/trial.ts';
import { wholeSeconds } from '../../../metrics/whole-seconds.ts';
import { assessSteadiness } from '../../../statistics/steadiness.ts';
import { checkpointShare } from '../checkpoint-share.ts';
import { changeInWords, notAssessed, pass, percent, warn } from '../findings.ts';
import { settingSeconds } from '../setting-seconds.ts';
import type { TrialCheck } from '../trial-check.ts';

/**
 * Whether throughput kept one level. A change is named with its second, by the clock of the trial's series, in short trials,
 * too; only one of a checkpoint cycle or more is called steady, or one in which checkpoints were under way all the time. A cycle
 * ends at `checkpoint_timeout`, or before it, when WAL starts the next checkpoint.
 */
export const steadiness: TrialCheck = (trial, { experiment, settings, shape, series }) => {
  const name = 'steady state';
  // At a given rate, every trial that keeps up has a steady throughput. Then only its latency may change.
  const [metric, what] =
    shape.offeredPerSecond === null ? (['tps', 'throughput'] as const) : (['latency.average', 'latency'] as const);
  const points = series.get(metric);
  if (!points) return notAssessed(name, 'there is no series by second (of pgbench: collect transaction-log)');
  const seconds = wholeSeconds(points);
  const { state, change, index, reason, leastThatShows } = assessSteadiness(
    seconds.map(({ value }) => value),
    {
      fewestSeconds:
        wasAlwaysUnderCheckpoint(trial) || sawWalEndCycle(trial)
          ? 0
          : (settingSeconds(settings['checkpoint_timeout']) ?? 0),
      threshold: experiment.decision.practicalThreshold,
    },
  );
  const changed = `${what} ${changeInWords(change ?? 0)}`;
  const second = seconds[index ?? 0]?.second;
  switch (state) {
    case 'steady':
      return pass(
        name,
        `${what} neither rose nor fell by ${leastThatShows === null ? 'more than matters' : `${percent(leastThatShows)}, the least that shows in ${seconds.length} s`}`,
      );
    case 'shifted':
      return warn(name, `${changed} at second ${second}: look for the cause, or warm up for longer`);
    case 'starting up':
      return warn(name, `${changed} until second ${second}: warm up for longer`);
    case 'trending':
      return warn(name, `${changed} from start to end: warm up for longer`);
    case 'not assessed':
      return notAssessed(name, reason);
  }
};

/** Then the trial has the cost of checkpoints at every second, however much shorter it is than their cycle. */
function wasAlwaysUnderCheckpoint(trial: Trial): boolean {
  return (checkpointShare(trial) ?? 0) >= 0.9;
}

/** Then cycles are shorter than their time, and the trial has both parts of one: before the checkpoint, and under it. */
function sawWalEndCycle({ facts }: Trial): boolean {
  return (facts.checkpoints ?? []).some(
    ({ startedAt, reason, restartpoint }) => startedAt >= 0 && !restartpoint && /\bwal\b/.test(reason ?? ''),
  );
}
