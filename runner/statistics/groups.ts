import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { mean, variance } from './summaries.ts';
import { assertLevel, type Interval } from './exact-interval.ts';
import { studentLimit } from './distributions.ts';

const draws = 2000;
/** Always the same, so the same values lead to the same chance. */
const seed = 13;

/**
 * The chance that groups would differ at least as much as these do if the grouping made no difference, by the statistic
 * of Kruskal & Wallis (1952): the squares of the sums of ranks, over the sizes. Its distribution comes from shuffling
 * the values among the groups 2,000 times (Pitman 1937), so the test keeps its level for any distribution of the
 * values. Assumes that without a difference all values have the same distribution.
 *
 * @returns null if there are fewer than two groups, or no more values than groups
 */
export function chanceOfGroups(groups: readonly (readonly number[])[]): number | null {
  const filled = groups.filter(({ length }) => length > 0);
  const values = filled.flat();
  if (filled.length < 2 || values.length <= filled.length) return null;
  const ranks = ranksOf(values);
  const found = statistic(filled, ranks);
  const random = xoroshiro128plus(seed);
  let asLarge = 0;
  for (let draw = 0; draw < draws; draw++) {
    for (let last = ranks.length - 1; last > 0; last--) {
      const other = uniformInt(random, 0, last);
      [ranks[last], ranks[other]] = [ranks[other] ?? NaN, ranks[last] ?? NaN];
    }
    if (statistic(filled, ranks) >= found - 1e-9) asLarge++;
  }
  // The groups as they are count as a draw: otherwise the chance could be zero.
  return (asLarge + 1) / (draws + 1);
}

function statistic(groups: readonly (readonly number[])[], ranks: readonly number[]): number {
  let next = 0;
  return groups.reduce((total, { length }) => {
    const sum = ranks.slice(next, (next += length)).reduce((all, rank) => all + rank, 0);
    return total + sum ** 2 / length;
  }, 0);
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  return values.map(
    (value) =>
      values.filter((other) => other < value).length + (values.filter((other) => other === value).length + 1) / 2,
  );
}

/** Fewest values for a prediction of the next. */
const minValues = 3;

/**
 * Fewest values for a prediction at any level. Of n values that may all come from one of two modes, the next comes from
 * the other with a chance of at most 1 / (n + 1) × (n / (n + 1))^n, which is 4.3% for eight and 10.5% for three.
 */
const minValuesForLevel = 8;

/**
 * Interval that holds the next value. From eight values on, it does so with this chance: it reaches over their range,
 * and at least as far as the mean plus and minus Student's t times the standard deviation times the root of 1 + 1/n
 * (Hahn & Meeker 1991, "Statistical Intervals", 4.6). The deviation is the one between the values, so it includes
 * whatever makes them differ. This holds if the next value comes from the same normal distribution as these; the range
 * makes it hold for distributions with two modes, too. Fewer values say nothing of their distribution: then it is their
 * range alone, which holds the next value with the chance (n - 1) / (n + 1), whatever the distribution (Wilks, Annals
 * of Mathematical Statistics 12, 1941).
 *
 * @returns null for fewer than three values
 */
export function predictionInterval(values: readonly number[], level: number): Interval | null {
  assertLevel(level);
  const spread = variance(values);
  const { length } = values;
  if (length < minValues || spread === null) return null;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  if (length < minValuesForLevel) return { low: lowest, high: highest, level: (length - 1) / (length + 1) };
  const half = studentLimit(1 - level, length - 1) * Math.sqrt(spread * (1 + 1 / length));
  const middle = mean(values);
  return { low: Math.min(lowest, middle - half), high: Math.max(highest, middle + half), level };
}
