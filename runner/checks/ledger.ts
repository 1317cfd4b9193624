import { type Check, failures } from '../results/check.ts';
import { completeBlocks } from '../results/complete-blocks.ts';
import type { Comparison, FinishedTrial, Trial } from '../results/result.ts';
import type { LedgerFacts } from './pair.ts';
import { checkPair } from './pair-checks.ts';
import { checkTrial } from './trial-checks.ts';

/**
 * The comparisons with what was checked of them. A failed check takes the verdict away, be it of the two variants or of a
 * trial that counts; the numbers stay, as a description.
 */
export function keepLedger(comparisons: readonly Comparison[], facts: LedgerFacts): Comparison[] {
  return comparisons.map((comparison) => (comparison.primary ? withChecks(comparison, facts) : comparison));
}

/** The trials, each finished one checked anew from what it tells. */
export function checkTrials({ trials, experiment, place, variants }: LedgerFacts): Trial[] {
  const settings = new Map(variants.map((variant) => [variant.name, variant.settings]));
  return trials.map((trial) =>
    trial.state === 'finished'
      ? {
          ...trial,
          checks: checkTrial(trial, {
            experiment: experiment.definition,
            place: place.kind,
            settings: settings.get(trial.variant) ?? {},
          }),
        }
      : trial,
  );
}

function withChecks(comparison: Comparison, facts: LedgerFacts): Comparison {
  const [baseline, candidate] = [comparison.baseline.variant, comparison.candidate.variant];
  const { blocks } = completeBlocks(facts.trials, baseline, candidate);
  const checks = checkPair(facts, { baseline, candidate, blocks });
  const withheld = [...failures(checks).map(sayCheck), ...failuresOfTrials(blocks.flat())];
  return withheld.length === 0 ? { ...comparison, checks } : withhold({ ...comparison, checks }, withheld);
}

export function withhold({ blocksToSettle: _, ...comparison }: Comparison, withheld: readonly string[]): Comparison {
  return { ...comparison, verdict: null, withheld: [...withheld] };
}

/** A check that many trials fail is said once. */
export function failuresOfTrials(trials: readonly FinishedTrial[]): string[] {
  const failed = trials.flatMap(({ id, checks }) => failures(checks).map((check) => ({ id, check })));
  const names = [...new Set(failed.map(({ check }) => check.name))];
  return names.flatMap((name) => {
    const [first, ...more] = failed.filter(({ check }) => check.name === name);
    if (!first) return [];
    const where = more.length === 0 ? first.id : `${first.id} and ${more.length} more of ${trials.length} trials`;
    return [`${where}: ${sayCheck(first.check)}`];
  });
}

function sayCheck({ name, finding }: Check): string {
  return `${name}: ${finding}`;
}
