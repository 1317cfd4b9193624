import type { Check } from '../../contract/check.ts';
import type { FinishedTrial } from '../../contract/result.ts';
import { assessSteadiness } from '../../statistics/steady-state.ts';
import { secondsOf } from './durations.ts';
import { notAssessed, pass, percent, warn } from './findings.ts';
import type { TrialContext } from './trial-checks.ts';

/** Whether throughput still rose or fell from start to end; a trial shorter than a checkpoint cycle cannot tell. */
export function checkSteadiness(trial: FinishedTrial, { experiment, settings }: TrialContext): Check {
  const name = 'steady state';
  if (!trial.latency) return notAssessed(name, 'there is no series by second (collect: transaction-log)');
  // At a given rate every trial that keeps up is steady by force; its latency is what may still move.
  const rated = experiment.workload.rate !== undefined;
  // A trial starts and ends in mid-second.
  const seconds = trial.latency.perSecond.slice(1, -1);
  const series = rated
    ? seconds.flatMap(({ latencyMeanSeconds }) => latencyMeanSeconds ?? [])
    : seconds.map(({ transactions }) => transactions);
  const { state, drift, reason } = assessSteadiness(series, {
    fewestSeconds: secondsOf(settings['checkpoint_timeout']) ?? 0,
    threshold: experiment.decision.practicalThreshold,
  });
  const what = rated ? 'latency' : 'throughput';
  switch (state) {
    case 'steady':
      return pass(name, `${what} neither rose nor fell by more than matters`);
    case 'trending':
      return warn(name, `${what} changed by ${signed(drift ?? 0)} from start to end: warm up for longer`);
    case 'not assessed':
      return notAssessed(name, reason);
  }
}

function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}
