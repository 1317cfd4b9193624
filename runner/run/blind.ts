import type { RunEvent } from '../contract/status.ts';
import type { Trial } from '../contract/trial.ts';

const hidden = 'hidden until the run has ended (--blind)';

const hiddenOutlook = `An answer is unlikely. The figures are ${hidden}.`;

/** The event without throughput and latency, to show it during a blind run. */
export function withoutFigures(event: RunEvent): RunEvent {
  switch (event.kind) {
    case 'progress':
      return { ...event, tps: null };
    case 'trial-ended':
      return { ...event, trial: hideFigures(event.trial) };
    case 'block-repeated':
      return { ...event, because: event.because.map(hideFigures) };
    case 'outlook':
      return { ...event, text: hiddenOutlook };
    default:
      return event;
  }
}

/**
 * Hides findings of checks, which state figures, and errors: a load generator's error ends with the last figures that
 * it reported.
 */
export function hideFigures(trial: Trial): Trial {
  return {
    ...trial,
    measures: {},
    checks: trial.checks.map((check) => ({ ...check, finding: hidden })),
    failure: trial.failure && { ...trial.failure, error: hidden },
  };
}
