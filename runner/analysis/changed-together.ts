import { type Comparison, pairWords } from '../contract/comparison.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { excludesZero } from '../statistics/exact-interval.ts';
import { chancesOfRise, rarestRise } from '../statistics/sign-flips.ts';
import { intervalOfSamples, samplesOf } from './crossover.ts';
import { type Scale, scaleFor } from './scale.ts';

/**
 * Which of several metrics of two variants changed for the worse, or for the better, all of them judged together: if none
 * did, one or more are found with at most this chance. The interval of each that is found excludes zero, too. In a
 * crossover of several exchanges, that must hold without each of the exchanges.
 *
 * With unknown blocks, each metric is judged by an interval that allows for them, at its share of the chance.
 *
 * @param comparisons of the same two variants at one level, each by another metric, with intervals
 */
export function changedTogether(
  comparisons: readonly Comparison[],
  { side, chance }: { side: 'worse' | 'better'; chance: number },
): Comparison[] {
  const candidates = comparisons.filter(({ interval }) => interval !== null && excludesZero(interval));
  if (candidates.length === 0) return [];
  const values = comparisons.map((one) => towards(one, side));
  const isFound = comparisons.some(({ unknownPairs = 0 }) => unknownPairs > 0)
    ? comparisons.map((one, index) => isBeyond(values[index] ?? new Map(), one, chance / comparisons.length))
    : areRisen(
        comparisons,
        values.map((own, index) => asFarAsOthers(own, scaleOf(comparisons[index]))),
        chance,
      );
  return comparisons.filter((one, index) => candidates.includes(one) && isFound[index]);
}

/** Whether a comparison has so many pairs that it can be found to change with at most this chance. */
export function canBeFound({ pairs, unknownPairs = 0 }: Comparison, chance: number): boolean {
  return unknownPairs > 0 || samplesOf(pairs, []).every((sample) => rarestRise(sample.pairs.length) <= chance);
}

function scaleOf(comparison: Pick<Comparison, 'metric'> | undefined): Scale {
  return scaleFor(metricNamed(comparison?.metric ?? '')?.compared ?? 'ratio');
}

/** Differences towards one side, by the words of the pair. */
function towards({ metric, better, pairs }: Comparison, side: 'worse' | 'better'): Map<string, number> {
  const scale = scaleOf({ metric });
  const sign = (better === 'lower') === (side === 'worse') ? 1 : -1;
  return new Map(
    pairs.map((pair) => [pairWords(pair), sign * (scale.apply(pair.candidate) - scale.apply(pair.baseline))]),
  );
}

function areRisen(
  comparisons: readonly Comparison[],
  values: readonly Map<string, number>[],
  chance: number,
): boolean[] {
  const pairs = [...new Map(comparisons.flatMap((one) => one.pairs.map((pair) => [pairWords(pair), pair]))).values()];
  const each = samplesOf(pairs, []).map((sample) =>
    chancesOfRise(values.map((own) => sample.pairs.map((pair) => own.get(pairWords(pair)) ?? null))),
  );
  return comparisons.map((_, index) => each.every((chances) => (chances[index] ?? 1) <= chance));
}

/**
 * A value of zero is farther from the others than any other, by an unknown factor, and so would decide the sum alone.
 * So in sums it is as far as the farthest other. That depends on distances only, and not on sides, which the flips need.
 */
function asFarAsOthers(values: ReadonlyMap<string, number>, scale: Scale): Map<string, number> {
  const isKnown = (difference: number): boolean => Number.isFinite(scale.changeOf(difference));
  const farthest = Math.max(0, ...[...values.values()].filter(isKnown).map(Math.abs));
  if (farthest === 0) return new Map(values);
  return new Map([...values].map(([pair, one]) => [pair, isKnown(one) ? one : Math.sign(one) * farthest]));
}

function isBeyond(
  values: ReadonlyMap<string, number>,
  { pairs, unknownPairs = 0, unknownExchanges }: Comparison,
  chance: number,
): boolean {
  const unknown = Array.from({ length: unknownPairs }, (_, index) => ({ exchange: unknownExchanges?.[index] }));
  const beyond = intervalOfSamples(
    samplesOf(pairs, unknown),
    (pair) => values.get(pairWords(pair)) ?? Number.NaN,
    1 - 2 * chance,
  );
  return (beyond?.low ?? 0) > 0;
}
