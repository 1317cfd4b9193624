import { stringify } from 'csv-stringify/sync';
import { blocksOfPair } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';

/** Makes pairs.csv for spreadsheets and scripts: a row for each pair of values that an estimate used, and no others. */
export function pairsCsv({ comparisons }: Pick<Result, 'comparisons'>): string {
  const levels = [...new Set(comparisons.flatMap(({ conditions }) => Object.keys(conditions)))];
  const header = [
    ...['metric', 'unit', 'primary', 'baseline_variant', 'candidate_variant', ...levels],
    // In a crossover, a pair is made of one block from each period.
    ...['block', 'attempt', 'second_block', 'second_attempt', 'baseline', 'candidate', 'change'],
  ];
  const rows = comparisons.flatMap(({ metric, unit, primary, conditions, baseline, candidate, pairs }) =>
    pairs.map((pair) => {
      const [first, second] = blocksOfPair(pair);
      return [
        ...[metric, unit, String(primary), baseline.variant, candidate.variant],
        ...levels.map((name) => conditions[name]),
        ...[first?.block, first?.attempt, second?.block, second?.attempt],
        ...[pair.baseline, pair.candidate, pair.change],
      ];
    }),
  );
  return stringify([header, ...rows]);
}
