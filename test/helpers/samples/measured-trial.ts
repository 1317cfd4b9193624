import type { Measures } from '../../../runner/contract/metric.ts';
import type { Level, Trial } from '../../../runner/contract/trial.ts';
import type { Measured } from '../../../runner/metrics/value.ts';

/** What was measured, of which only what matters to a test need be said. */
export function measured(measures: Measures): Measured {
  return { measures: { ...measures } };
}

/** Everything of a trial that a test may want to say otherwise. */
export type TrialDetails = Partial<Omit<Trial, 'conditions' | 'measures'>> & { level?: Level };

/** A trial that finished; of what was measured only what matters to a test need be said. */
export function trial(variant: string, block: number, measures: Measures, details: TrialDetails = {}): Trial {
  const { level = {}, attempt = 1, position = 1, ...rest } = details;
  const time = new Date(Date.UTC(2026, 10, 6, 14, block, 2 * attempt + position)).toISOString();
  const again = attempt === 1 ? '' : `-attempt-${attempt}`;
  const at = Object.values(level).map((value) => `-${value}`);
  return {
    id: `block-${String(block).padStart(2, '0')}${again}-${position}-${variant}${at.join('')}`,
    conditions: { ...level, variant },
    block,
    position,
    attempt,
    startedAt: time,
    endedAt: time,
    state: 'finished',
    failure: null,
    measures: { ...measures },
    series: [],
    facts: {},
    checks: [],
    warnings: [],
    ...rest,
  };
}

export function unfinishedTrial(variant: string, block: number, details: TrialDetails = {}): Trial {
  const failure = { stage: 'measure', error: 'the server went away' } as const;
  return trial(variant, block, {}, { state: 'failed', failure, ...details });
}

/** A check that takes the verdict away. */
export const failedCheck = { name: 'clock', state: 'fail', finding: 'set by 3 s' } as const;
