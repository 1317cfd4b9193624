import type { Comparison } from '../contract/comparison.ts';
import type { EarlierStarts } from '../contract/earlier-starts.ts';
import { levelKey } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { chanceOfGroups, predictionInterval } from '../statistics/groups.ts';

/** What is known about a start: when it began, and what it found. */
export interface ComparedStart {
  startedAt: string;
  comparisons: readonly Comparison[];
}

/** Only so many starts, the newest ones, are shown and counted. */
const maxStarts = 20;

/**
 * Puts earlier starts beside this one, by the declared metric. Starts whose comparison has no verdict by its design, or
 * lost it to a failed check, do not count. Neither do starts with unknown blocks: their change comes only from the
 * known blocks, as if their servers had lost nothing. Their number is reported, since they are missing because of their
 * outcome. The next start is predicted from the changes of the starts, on the log scale if these are ratios: below eight starts
 * by their range. The blocks
 * of one start cannot show how much starts differ.
 *
 * @param earlier of the same experiment, in any order
 */
export function besideEarlier(now: ComparedStart, earlier: readonly ComparedStart[], level: number): EarlierStarts[] {
  return now.comparisons
    .filter(({ primary }) => primary)
    .flatMap((comparison): EarlierStarts[] => {
      const found = earlier
        .filter(({ startedAt }) => startedAt < now.startedAt)
        .flatMap(({ startedAt, comparisons }) => {
          const same = comparisons.find((one) => isSame(one, comparison) && (counts(one) || !isKnown(one)));
          return same ? [{ startedAt, comparison: same }] : [];
        })
        .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
        .slice(-maxStarts);
      if (found.length === 0) return [];
      const before = found.filter((one) => isKnown(one.comparison));
      const own = counts(comparison) && isKnown(comparison) ? [comparison] : [];
      const all = [...before.map((one) => one.comparison), ...own];
      const leftOut = { earlier: found.length - before.length, own: !isKnown(comparison) };
      const { metric, baseline, candidate, conditions } = comparison;
      return [
        {
          metric,
          baseline: baseline.variant,
          candidate: candidate.variant,
          conditions,
          starts: before.map((one) => ({
            startedAt: one.startedAt,
            change: one.comparison.change ?? NaN,
            interval: one.comparison.interval,
          })),
          ...((leftOut.earlier > 0 || leftOut.own) && { leftOut }),
          next: expected(all, level),
          chance: chanceOfGroups(all.map((one) => one.pairs.flatMap(({ change }) => change ?? []))),
        },
      ];
    });
}

/** Whether a comparison says anything about its start. Beside other programs, starts differ by what these took. */
function counts({ change, verdict, beside, undecided }: Comparison): boolean {
  if (beside?.isCondition || undecided === 'other-programs') return false;
  return change !== null && verdict !== null && verdict !== 'descriptive';
}

/** Whether its change comes from all of its blocks. */
function isKnown({ unknownPairs = 0 }: Comparison): boolean {
  return unknownPairs === 0;
}

function isSame(one: Comparison, other: Comparison): boolean {
  return (
    one.primary &&
    one.metric === other.metric &&
    one.baseline.variant === other.baseline.variant &&
    one.candidate.variant === other.candidate.variant &&
    levelKey(one.conditions) === levelKey(other.conditions)
  );
}

function expected(starts: readonly Comparison[], level: number): EarlierStarts['next'] {
  const changes = starts.flatMap(({ change }) => change ?? []);
  const compared = metricNamed(starts[0]?.metric ?? '')?.compared;
  const byRatio = compared !== 'difference' && changes.every((change) => change > -1);
  const found = predictionInterval(byRatio ? changes.map(Math.log1p) : changes, level);
  if (!found) return null;
  const [low, high] = byRatio ? [Math.expm1(found.low), Math.expm1(found.high)] : [found.low, found.high];
  return { low, high, level: found.level, count: changes.length };
}
