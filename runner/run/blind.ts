import type { RunEvent } from '../contract/status.ts';
import type { Trial } from '../contract/trial.ts';

const hidden = 'hidden until the run has ended (--blind)';

/** The event without throughput and latency, for those who show it while a blind run goes on. */
export function withoutFigures(event: RunEvent): RunEvent {
  switch (event.kind) {
    case 'progress':
      return { ...event, tps: null };
    case 'trial-ended':
      return { ...event, trial: hideFigures(event.trial) };
    case 'block-repeated':
      return { ...event, because: event.because.map(hideFigures) };
    default:
      return event;
  }
}

/** Findings of checks state figures, and the error of a load generator ends with the last that it reported. */
export function hideFigures(trial: Trial): Trial {
  return {
    ...trial,
    measures: {},
    checks: trial.checks.map((check) => ({ ...check, finding: hidden })),
    failure: trial.failure && { ...trial.failure, error: hidden },
  };
}
