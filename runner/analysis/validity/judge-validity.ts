import { type Check, failedChecks } from '../../contract/check.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { serversAt } from '../../contract/server.ts';
import { levelKey, type Trial } from '../../contract/trial.ts';
import type { WithheldReason } from '../../contract/withheld.ts';
import { controlsOf, type Grouped } from '../../experiment/groups.ts';
import { placeNamed } from '../../places/registry.ts';
import { blocksOf } from '../counted-trials.ts';
import { declaredValues, differencesFromDeclared, findDifferences } from '../undeclared-differences.ts';
import {
  checked,
  type CheckDefinition,
  type Finding,
  type Pair,
  type SideOfPair,
  type TrialContext,
  type ValidityFacts,
} from './check.ts';
import { control } from './comparison/control.ts';
import { checkById, pairChecks, trialChecks } from './registry.ts';

/** The validity ledger of one finished trial: the answers of all checks that apply. */
export function checkTrial(trial: Trial, context: TrialContext): Check[] {
  return ledger(trialChecks, (check) => check.judge(trial, context));
}

/** The answers of those checks that apply. */
export function ledger<Kind extends CheckDefinition>(
  checks: readonly Kind[],
  judge: (check: Kind) => Finding | null,
): Check[] {
  return checks.flatMap((check) => {
    const finding = judge(check);
    return finding ? [checked(check, finding)] : [];
  });
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
    return own.length === 0
      ? comparison
      : addChecks(
          comparison,
          own.map((one) => checked(control, control.judge(one))),
          [],
        );
  });
}

/** The checks of the pair, and the failed checks of its trials. */
function checksOf(comparison: Comparison, facts: ValidityFacts): [Check[], WithheldReason[]] {
  const pair = pairOf(comparison, facts);
  const trials = pair.blocks.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  return [ledger(pairChecks, (check) => check.judge(facts, pair)), failuresOfTrials(trials)];
}

function pairOf(comparison: Comparison, facts: ValidityFacts): Pair {
  const { counted } = blocksOf(comparison, facts.trials);
  const deployed = placeNamed(facts.place.kind).isDeployed;
  const sideOf = (side: 'baseline' | 'candidate'): SideOfPair => {
    const label = comparison[side].variant;
    return {
      label,
      measured: counted.map((block) => block[side]),
      servers: serversAt(facts.variants, comparison.conditions, label),
      declared: declaredValues(facts, label),
    };
  };
  const [baseline, candidate] = [sideOf('baseline'), sideOf('candidate')];
  return {
    baseline,
    candidate,
    comparison,
    blocks: counted,
    differences: findDifferences(baseline, candidate),
    fromDeclared: [baseline, candidate].flatMap((side) => differencesFromDeclared(side, { deployed })),
  };
}

/** Withholds the verdict if one of these checks, or of those of trials, failed. */
export function addChecks(
  comparison: Comparison,
  checks: readonly Check[],
  trialFailures: readonly WithheldReason[],
): Comparison {
  const failed = [...failedChecks(checks).map((check) => failedCheck(check)), ...trialFailures];
  const withAll = { ...comparison, checks: [...comparison.checks, ...checks] };
  // Failed checks come before what else a verdict would need: too few blocks are often their consequence.
  return failed.length === 0 ? withAll : withhold(withAll, failed);
}

/** Takes the verdict away; the numbers stay, as a description. */
export function withhold(
  { blocksToSettle: _, undecided: __, ...comparison }: Comparison,
  failed: readonly WithheldReason[],
): Comparison {
  return {
    ...comparison,
    verdict: null,
    withheld: [...failed, ...comparison.withheld],
  };
}

/** The failed checks. One that many trials failed is named once. */
export function failuresOfTrials(trials: readonly Trial[]): WithheldReason[] {
  const failed = trials.flatMap(({ id, checks }) => failedChecks(checks).map((check) => ({ id, check })));
  const ids = [...new Set(failed.map(({ check }) => check.id))];
  return ids.flatMap((one) => {
    const [first, ...more] = failed.filter(({ check }) => check.id === one);
    if (!first) return [];
    const where = more.length === 0 ? first.id : `${first.id} and ${more.length} more of ${trials.length} trials`;
    return failedCheck(first.check, first.id, ` (${where})`);
  });
}

function failedCheck({ id, name, finding }: Check, trial: string | null = null, where = ''): WithheldReason {
  const words = checkById(id)?.isNamedByFinding ? finding : `${name}: ${finding}`;
  return { id, message: `${words}${where}`, trial };
}

/**
 * For comparisons from a file whose reasons have no ids. Failed checks are the first of them, and are found again from what
 * the file has.
 */
export function withFailedChecks(comparisons: readonly Comparison[], trials: readonly Trial[]): Comparison[] {
  return comparisons.map((comparison) => {
    const { primary, verdict, withheld, checks } = comparison;
    if (!primary || verdict !== null || !withheld.some(({ id }) => id === 'unnamed')) return comparison;
    const used = new Set(comparison.trials.flatMap(({ baseline, candidate }) => [baseline, candidate]));
    const trialFailures = failuresOfTrials(trials.filter(({ id }) => used.has(id)));
    const failed = [...failedChecks(checks).map((check) => failedCheck(check)), ...trialFailures];
    return { ...comparison, withheld: [...failed, ...withheld.slice(failed.length)] };
  });
}
