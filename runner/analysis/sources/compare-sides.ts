import { distinctWarnings, warningsOf } from '../../contract/warnings.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { type Decision, decidingMetric } from '../../contract/experiment/schema.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { reason, type WithheldReason } from '../../contract/withheld.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import type { Compared } from '../compare.ts';
import { describeRuns } from '../compare-run.ts';
import { type Difference, findDifferences } from '../undeclared-differences.ts';
import { checked, warn } from '../validity/check.ts';
import { latency } from '../validity/comparison/latency.ts';
import { withoutPartner } from '../validity/comparison/without-partner.ts';
import { addChecks, ledger } from '../validity/judge-validity.ts';
import { checkAbout } from '../validity/pair/differences.ts';
import { judgeWork, work } from '../validity/pair/work.ts';
import { isMatched, levelsOf, nothingMatches, pairRuns, type RunPair, type SidesAtLevel } from './levels.ts';
import type { ComparableSide } from './side.ts';

export interface HowSidesCompared {
  /** Whether runs of both sides belong together, and are described as pairs. */
  paired: boolean;
  /** Conditions that may differ between the two sides. @default none */
  across?: readonly string[];
}

/**
 * Compares each two sides level by level, and never takes runs of different levels together. A level that one side lacks has
 * a comparison without a change.
 *
 * @throws {UserError} if no two sides have a level in common
 */
export function compareSides(
  pairs: readonly [ComparableSide, ComparableSide][],
  decision: Decision,
  { paired, across = [] }: HowSidesCompared,
): Compared {
  const all = pairs.map((sides) => ({ sides, levels: levelsOf(...sides, across) }));
  const [first] = all;
  if (first && !all.some(({ levels }) => levels.some(isMatched))) throw nothingMatches(...first.sides, first.levels);
  const compared = all.map(({ sides: [baseline, candidate], levels }) =>
    levels.map((level): ComparedLevel => {
      const { conditions } = level;
      const [before, after] = [baseline.only(level.baseline, conditions), candidate.only(level.candidate, conditions)];
      return { ...level, before, after, differences: isMatched(level) ? findDifferences(before, after) : [] };
    }),
  );
  const comparisons = compared.flat().flatMap((level) => compareLevel(level, decision, paired));
  const alone = comparisons.flatMap(({ checks, conditions }) =>
    checks.flatMap(({ id, finding }) =>
      id === withoutPartner.id ? [`Without a partner${levelSuffix(conditions)}: ${finding}.`] : [],
    ),
  );
  const latencies = comparisons.flatMap(({ checks, conditions }) =>
    checks.flatMap(({ id, finding }) => (id === latency.id ? [`${finding}${levelSuffix(conditions)}.`] : [])),
  );
  return {
    comparisons,
    warnings: distinctWarnings(
      warningsOf('sides-differ', [...alone, ...latencies, ...compared.flatMap(differencesInWords)]),
    ),
  };
}

interface ComparedLevel extends SidesAtLevel {
  before: ComparableSide;
  after: ComparableSide;
  /** Nobody declared them. */
  differences: Difference[];
}

function compareLevel(level: ComparedLevel, decision: Decision, paired: boolean): Comparison[] {
  const { conditions, before, after, differences } = level;
  const alone = whyAlone(level);
  const { dependsOn } = metricNamed(decidingMetric(decision)) ?? {};
  const incomparable = differences.find(({ name }) => name === dependsOn)?.words ?? null;
  const labels = { baseline: before.label, candidate: after.label };
  const pairs = paired && alone === null ? pairRuns(level, labels) : null;
  const comparisons = describeRuns({
    ...labels,
    conditions,
    decision,
    pairs,
    limit: before.limit === after.limit ? before.limit : 'time',
    baselineRuns: before.measured,
    candidateRuns: after.measured,
    differing: differences.map(({ name }) => name),
    obstacle: whyNoVerdict(before, after, { alone, incomparable }),
  });
  // Failed checks of trials are also named here.
  const failed = [...before.failed, ...after.failed];
  const without = [...(alone === null ? [] : [alone]), ...(pairs ? unpaired(level, pairs) : [])];
  const checks = [
    ...without.map((finding) => checked(withoutPartner, warn(finding))),
    ...differences.map(({ about, words }) => checked(checkAbout[about], warn(words))),
  ];
  // Of runs without a partner, only that there are such runs is of interest.
  const shown = alone === null ? comparisons : comparisons.filter(({ primary }) => primary);
  return shown.map((one) => {
    if (!one.primary) return one;
    if (alone !== null) return addChecks({ ...one, checks }, [], failed);
    const offered = [
      ...ledger([work], () => judgeWork(decision, one, before.measured, after.measured)),
      ...ledger([latency], ({ judge }) => judge(before, after)),
    ];
    return addChecks(withLosses({ ...one, checks }, before, after), offered, failed);
  });
}

/** The trials of each side whose block was not measured on the other. */
function unpaired({ baseline, candidate, before, after }: ComparedLevel, pairs: readonly RunPair[]): string[] {
  const used = new Set(pairs.flatMap((pair) => [pair.baseline, pair.candidate]));
  const sides = [
    { label: before.label, left: baseline.filter((run) => !used.has(run)) },
    { label: after.label, left: candidate.filter((run) => !used.has(run)) },
  ];
  return sides.flatMap(({ label, left }) =>
    left.length === 0 ? [] : [`${label}: ${left.flatMap(({ trial }) => trial?.id ?? []).join(', ')}`],
  );
}

/** Why a level has runs of one side only; null if it has both. */
function whyAlone({ baseline, candidate, before, after }: ComparedLevel): string | null {
  const without = baseline.length === 0 ? before : candidate.length === 0 ? after : null;
  if (without === null) return null;
  const { label, losses } = without;
  return losses.lost > 0
    ? `${label} lost ${losses.lost} of ${losses.of} trials there`
    : `${label} was not measured there`;
}

/** A sentence for each difference, with its level if other levels do not have it. */
function differencesInWords(levels: readonly ComparedLevel[]): string[] {
  const matched = levels.filter(isMatched);
  const keyOf = ({ about, name, values }: Difference): string => JSON.stringify([about, name, values]);
  const all = new Map(matched.flatMap(({ differences }) => differences.map((one) => [keyOf(one), one.words])));
  return [...all].map(([key, words]) => {
    const at = matched.filter(({ differences }) => differences.some((one) => keyOf(one) === key));
    const where = at.length === matched.length ? '' : at.map(({ conditions }) => levelSuffix(conditions)).join(' and');
    return `Undeclared difference${where}: ${words}.`;
  });
}

/** Only trials that ended have figures. If a side lost some trials, the others may be its better ones. */
function withLosses(comparison: Comparison, baseline: ComparableSide, candidate: ComparableSide): Comparison {
  const losing = [candidate, baseline].filter(({ losses }) => losses.lost > 0);
  if (losing.length === 0) return comparison;
  const lossy = losing.map(({ label, losses: { lost, of } }) =>
    reason('lost-trials', `${label} lost ${lost} of ${of} trials, and those that remain may be its better ones`),
  );
  return {
    ...comparison,
    withheld: [...comparison.withheld, ...lossy],
    losses: { baseline: baseline.losses, candidate: candidate.losses },
  };
}

function whyNoVerdict(
  before: ComparableSide,
  after: ComparableSide,
  { alone, incomparable }: { alone: string | null; incomparable: string | null },
): WithheldReason {
  if (alone !== null) return reason('one-side-missing', alone);
  if (incomparable !== null) return reason('incomparable-sides', incomparable);
  return reason('separate-runs', whySeparate(before, after));
}

/** Only the blocks of one run are known to have been measured in an order that was drawn by chance. */
function whySeparate({ label, span }: ComparableSide, other: ComparableSide): string {
  if (!span || !other.span) {
    return 'the time and order of these runs are unknown, so drift may look like an effect';
  }
  if (span.to < other.span.from || other.span.to < span.from) {
    return `every run of ${label} was measured ${span.to < other.span.from ? 'before' : 'after'} every run of ${other.label}, so drift may look like an effect`;
  }
  return 'these runs do not come from one pgduet run, so their order may not be random';
}
