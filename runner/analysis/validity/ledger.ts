import { controlsOf } from '../../experiment/controls.ts';
import { type Check, failures } from '../../contract/check.ts';
import { completeBlocks } from '../pairs.ts';
import type { Comparison, FinishedTrial, Trial } from '../../contract/result.ts';
import { fail, notAssessed, pass } from './findings.ts';
import type { LedgerFacts } from './pair.ts';
import { checkPair } from './pair-checks.ts';
import { checkTrial } from './trial-checks.ts';

/**
 * The comparisons with what was checked of them. A failed check takes the verdict away, be it of the two variants, of a
 * trial that counts, or of a control that is not what it should be; the numbers stay, as a description.
 */
export function keepLedger(comparisons: readonly Comparison[], facts: LedgerFacts): Comparison[] {
  const controls = controlsOf(facts.experiment.definition);
  const isControl = ({ primary, candidate }: Comparison): boolean => primary && controls.includes(candidate.variant);
  const judged = comparisons.map((comparison) =>
    comparison.primary ? addChecks(comparison, ...checksOf(comparison, facts)) : comparison,
  );
  const controlled = judged.filter(isControl).map(checkControl);
  return judged.map((comparison) =>
    comparison.primary && !isControl(comparison) && controlled.length > 0
      ? addChecks(comparison, controlled, [])
      : comparison,
  );
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

/** Of the pair, and in words those that its trials failed. */
function checksOf({ baseline, candidate }: Comparison, facts: LedgerFacts): [Check[], string[]] {
  const names = { baseline: baseline.variant, candidate: candidate.variant };
  const { blocks } = completeBlocks(facts.trials, names.baseline, names.candidate);
  return [checkPair(facts, { ...names, blocks }), failuresOfTrials(blocks.flat())];
}

function addChecks(comparison: Comparison, checks: readonly Check[], ofTrials: readonly string[]): Comparison {
  const withheld = [...(comparison.withheld ?? []), ...failures(checks).map(sayCheck), ...ofTrials];
  const checked = { ...comparison, checks: [...(comparison.checks ?? []), ...checks] };
  return withheld.length === 0 ? checked : withhold(checked, withheld);
}

/** The baseline once more must not come out different from itself. */
function checkControl({ candidate: { variant }, verdict }: Comparison): Check {
  const name = 'control';
  if (verdict === null || verdict === 'descriptive') return notAssessed(name, `${variant} has no verdict itself`);
  return verdict === 'better' || verdict === 'worse'
    ? fail(name, `${variant} is the baseline once more, and yet comes out ${verdict} than it`)
    : pass(name, `${variant}, the baseline once more, was not found to differ from it`);
}

export function withhold(comparison: Comparison, withheld: readonly string[]): Comparison {
  return { ...comparison, verdict: null, blocksToSettle: undefined, withheld: [...withheld] };
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
