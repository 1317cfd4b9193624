import { type Comparison, pairWords } from '../contract/comparison.ts';
import { levelKey } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { type Centres, type Contestant, sharedCentres } from './estimate.ts';

/**
 * Gives each comparison the two values that its change compares. The candidates of one baseline at one level are taken
 * together, so that the baseline has one value in all of them, however many there are. Runs that belong to no blocks have no
 * pairs: their change compares the medians.
 */
export function withSideValues(comparisons: readonly Comparison[]): Comparison[] {
  const groups = new Map<string, Comparison[]>();
  for (const comparison of comparisons) {
    const { metric, conditions, baseline, scope, pairs } = comparison;
    const key = JSON.stringify([metric, levelKey(conditions), baseline.variant, scope]);
    if (pairs.length > 0) groups.set(key, [...(groups.get(key) ?? []), comparison]);
  }
  const found = new Map<Comparison, Centres>();
  for (const group of groups.values()) {
    const metric = metricNamed(group[0]?.metric ?? '');
    sharedCentres(group.map(contestant), metric?.compared ?? 'ratio', metric?.kind).forEach((centres, index) => {
      const own = group[index];
      if (own) found.set(own, centres);
    });
  }
  return comparisons.map((comparison) => {
    const { baseline, candidate } = comparison;
    const own = found.get(comparison) ?? { baseline: baseline.median, candidate: candidate.median };
    return {
      ...comparison,
      baseline: { ...baseline, value: own.baseline },
      candidate: { ...candidate, value: own.candidate },
    };
  });
}

function contestant({ pairs, change }: Comparison): Contestant {
  return { pairs: pairs.map((pair) => ({ ...pair, block: pairWords(pair) })), change };
}
