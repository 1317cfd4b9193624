import type { Claims } from '../../../runner/analysis/claims.ts';
import { compareTrials } from '../../../runner/analysis/compare.ts';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Decision } from '../../../runner/contract/experiment/schema.ts';
import type { Level, Trial } from '../../../runner/contract/trial.ts';
import { trial } from './measured-trial.ts';

export const decision: Decision = { metric: 'tps', practicalThreshold: 0.05, level: 0.95 };

/** Of a design that allows verdicts. */
export const claims: Claims = {
  scope: 'these-instances',
  sharesMachine: false,
  unit: 'block',
  exchanges: 0,
  replicas: 1,
  drawn: true,
  obstacles: [],
};

/** Blocks of two trials with these throughputs. */
export function blocksOf(pairs: readonly (readonly [number | null, number | null])[]): Trial[] {
  return pairs.flatMap(([before, after], index) => [
    trial('without', index + 1, { tps: before }),
    trial('with', index + 1, { tps: after }),
  ]);
}

/** Compares `with` to `without`, or all others of these variants to `without` or else the first, with the settings that most tests want. */
export function compare(
  trials: readonly Trial[],
  {
    variants = ['without', 'with'],
    levels = [{}],
    ...overrides
  }: { variants?: readonly string[]; levels?: readonly Level[] } & Partial<Parameters<typeof compareTrials>[0]> = {},
) {
  const [baseline = ''] = variants.includes('without') ? ['without'] : variants;
  const candidates = variants.filter((variant) => variant !== baseline);
  return compareTrials({
    trials,
    contrasts: candidates.flatMap((candidate) => levels.map((level) => ({ baseline, candidate, level }))),
    controls: [],
    claims,
    decision,
    limit: 'time',
    ...overrides,
  });
}

export function comparisonBy(comparisons: readonly Comparison[], metric: string): Comparison {
  const found = comparisons.find((comparison) => comparison.metric === metric);
  if (!found) throw new Error(`no ${metric}`);
  return found;
}
