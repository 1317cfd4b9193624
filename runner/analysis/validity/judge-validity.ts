import { excludesZero } from '../../statistics/exact-interval.ts';
import { type Check, failures } from '../../contract/check.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { serversAt } from '../../contract/server.ts';
import { levelKey, type Trial } from '../../contract/trial.ts';
import { controlsOf, type Grouped } from '../../experiment/groups.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { blocksOf } from '../counted-trials.ts';
import { declaredValues, type Side } from '../undeclared-differences.ts';
import {
  changeRange,
  fail,
  notAssessed,
  type Pair,
  pass,
  type TrialContext,
  type ValidityFacts,
  warn,
} from './check.ts';
import { pairChecks, trialChecks } from './registry.ts';

/** The validity ledger of one finished trial: the answers of all checks that apply. */
export function checkTrial(trial: Trial, context: TrialContext): Check[] {
  return trialChecks.flatMap((check) => check(trial, context) ?? []);
}

/**
 * Adds the checks to the comparisons. A verdict is withheld if a check failed: a check of the two variants, of a trial that
 * counts, or of a control at the same level that differs from the baseline. The numbers stay, as a description.
 */
export function judgeValidity(comparisons: readonly Comparison[], facts: ValidityFacts): Comparison[] {
  const judged = comparisons.map((comparison) =>
    comparison.primary ? addChecks(comparison, ...checksOf(comparison, facts)) : comparison,
  );
  return applyControls(judged, facts.experiment.definition);
}

/** Takes the verdicts away at each level, and in each group, at which a control came out different from the baseline. */
export function applyControls(comparisons: readonly Comparison[], definition: Grouped): Comparison[] {
  const controls = controlsOf(definition);
  const isControl = ({ primary, candidate }: Comparison): boolean => primary && controls.includes(candidate.variant);
  const placeOf = ({ baseline, conditions }: Comparison): string => `${levelKey(conditions)} ${baseline.variant}`;
  return comparisons.map((comparison) => {
    if (!comparison.primary || isControl(comparison)) return comparison;
    const own = comparisons.filter((one) => isControl(one) && placeOf(one) === placeOf(comparison));
    return own.length === 0 ? comparison : addChecks(comparison, own.map(checkControl), []);
  });
}

/** The checks of the pair, and the failed checks of its trials in words. */
function checksOf(comparison: Comparison, facts: ValidityFacts): [Check[], string[]] {
  const pair = pairOf(comparison, facts);
  const trials = pair.blocks.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  return [pairChecks.flatMap((check) => check(facts, pair)), failuresOfTrials(trials)];
}

function pairOf(comparison: Comparison, facts: ValidityFacts): Pair {
  const [baseline, candidate] = [comparison.baseline.variant, comparison.candidate.variant];
  const { counted } = blocksOf(comparison, facts.trials);
  const sideOf = (label: string, trials: Trial[]): Side => ({
    label,
    measured: trials,
    servers: serversAt(facts.variants, comparison.conditions, label),
    declared: declaredValues(facts, label),
  });
  return {
    baseline: sideOf(
      baseline,
      counted.map((block) => block.baseline),
    ),
    candidate: sideOf(
      candidate,
      counted.map((block) => block.candidate),
    ),
    comparison,
    blocks: counted,
  };
}

/** Withholds the verdict if one of these checks, or of those of trials, failed. */
export function addChecks(comparison: Comparison, checks: readonly Check[], ofTrials: readonly string[]): Comparison {
  const failed = [...failures(checks).map(sayCheck), ...ofTrials];
  const checked = { ...comparison, checks: [...comparison.checks, ...checks] };
  // Failed checks come before what else a verdict would need: too few blocks are often their consequence.
  return failed.length === 0 ? checked : withhold(checked, [...failed, ...comparison.withheld]);
}

/**
 * A control is the baseline once more. Only a control that is found equivalent to it shows that equal variants come out
 * equal. To find no difference is not enough: a real artefact of 5 % passes that way more often than not.
 */
function checkControl({ metric, candidate: { variant }, verdict, interval }: Comparison): Check {
  const name = 'control';
  const range = interval && changeRange(interval, metricNamed(metric)?.compared);
  const same = `${variant} has the same configuration as the baseline`;
  switch (verdict) {
    case 'better':
    case 'worse':
      return fail(name, `${same}, and yet it comes out ${verdict} than the baseline`);
    case 'equivalent':
      return interval && range && excludesZero(interval)
        ? warn(name, `${same} and equivalent to it, but differs by ${range}; a verdict must go beyond that`)
        : pass(name, `${same} and equivalent to it`);
    default:
      return range
        ? warn(name, `${same}, but their equivalence is not settled: it may differ by ${range}`)
        : notAssessed(name, `${same}, but their equivalence is not settled: it has no verdict itself`);
  }
}

export function withhold(
  { blocksToSettle: _, undecided: __, ...comparison }: Comparison,
  withheld: readonly string[],
): Comparison {
  return { ...comparison, verdict: null, withheld: [...withheld] };
}

/** The failed checks in words. A check that many trials failed is named once. */
export function failuresOfTrials(trials: readonly Trial[]): string[] {
  const failed = trials.flatMap(({ id, checks }) => failures(checks).map((check) => ({ id, check })));
  const names = [...new Set(failed.map(({ check }) => check.name))];
  return names.flatMap((name) => {
    const [first, ...more] = failed.filter(({ check }) => check.name === name);
    if (!first) return [];
    const where = more.length === 0 ? first.id : `${first.id} and ${more.length} more of ${trials.length} trials`;
    return [`${sayCheck(first.check)} (${where})`];
  });
}

function sayCheck({ name, finding }: Check): string {
  return finding.startsWith(name) ? finding : `${name}: ${finding}`;
}
