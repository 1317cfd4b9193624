import type { Check } from '../../../runner/contract/check.ts';
import type { Measures } from '../../../runner/contract/metric.ts';
import type { Level, Trial } from '../../../runner/contract/trial.ts';
import type { Measured } from '../../../runner/metrics/value.ts';

/** Measurements with only the values that matter to a test. */
export function measured(measures: Measures): Measured {
  return { measures: { ...measures } };
}

/** The details of a trial that a test may choose. */
export type TrialDetails = Partial<Omit<Trial, 'conditions' | 'measures'>> & { level?: Level };

/** A trial that finished, with only the measures that matter to a test. */
export function trial(variant: string, block: number, measures: Measures, details: TrialDetails = {}): Trial {
  const { level = {}, attempt = 1, position = 1, ...rest } = details;
  const time = new Date(Date.UTC(2026, 10, 6, 14, block, 2 * attempt + position)).toISOString();
  const names = [...Object.entries(level).flat(), variant].join('-');
  return {
    // As the plan of a run names them.
    id: `block-${String(block).padStart(2, '0')}-${position}-${names}${attempt === 1 ? '' : `-repeat-${attempt}`}`,
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

/** A check because of which there is no verdict, and the block is measured again. */
export const failedCheck: Check = {
  id: 'clock',
  name: 'clock',
  state: 'fail',
  finding: 'set by 3 s',
  outside: 'suspended-driver',
};
