import { wholeSeconds } from '../../../metrics/whole-seconds.ts';
import { assessSteadiness } from '../../../statistics/steady-state.ts';
import { notAssessed, pass, percent, warn } from '../findings.ts';
import { settingSeconds } from '../setting-seconds.ts';
import type { TrialCheck } from '../trial-check.ts';

/** Whether throughput rose or fell from start to end. A trial that is shorter than a checkpoint cycle cannot tell. */
export const steadiness: TrialCheck = (_, { experiment, settings, shape, series }) => {
  const name = 'steady state';
  // At a given rate, every trial that keeps up has a steady throughput. Then only its latency may change.
  const [metric, what] =
    shape.offeredPerSecond === null ? (['tps', 'throughput'] as const) : (['latency.average', 'latency'] as const);
  const points = series.get(metric);
  if (!points) return notAssessed(name, 'there is no series by second (collect: transaction-log)');
  const { state, drift, reason } = assessSteadiness(
    wholeSeconds(points).map(({ value }) => value),
    {
      fewestSeconds: settingSeconds(settings['checkpoint_timeout']) ?? 0,
      threshold: experiment.decision.practicalThreshold,
    },
  );
  switch (state) {
    case 'steady':
      return pass(name, `${what} neither rose nor fell by more than matters`);
    case 'trending':
      return warn(name, `${what} changed by ${signed(drift ?? 0)} from start to end: warm up for longer`);
    case 'not assessed':
      return notAssessed(name, reason);
  }
};

function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}
