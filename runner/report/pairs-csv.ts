import { stringify } from 'csv-stringify/sync';
import { trialsOfPair } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';

/**
 * Makes pairs.csv for spreadsheets and scripts: a row for each pair of values that an estimate used, and no others. A text that
 * a spreadsheet would run, such as `=HYPERLINK(`, begins with an apostrophe; numbers stay as they are.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function pairsCsv({ comparisons, unverified }: Pick<Result, 'comparisons' | 'unverified'>): string {
  const levels = [...new Set(comparisons.flatMap(({ conditions }) => Object.keys(conditions)))];
  const header = [
    ...['metric', 'unit', 'primary', 'baseline_variant', 'candidate_variant', ...levels],
    // A pair may be the mean of several trials of either side: their numbers, with spaces in between.
    ...['scope', 'blocks', 'attempts', 'replicas', 'exchange', 'baseline', 'candidate', 'change'],
    ...(unverified ? ['verified'] : []),
  ];
  const rows = comparisons.flatMap(({ metric, unit, primary, conditions, baseline, candidate, scope, pairs }) =>
    pairs.map((pair) => {
      const trials = trialsOfPair(pair);
      return [
        ...[metric, unit, String(primary), baseline.variant, candidate.variant],
        ...levels.map((name) => conditions[name]),
        scope,
        ...(['block', 'attempt', 'replica'] as const).map((name) =>
          trials
            .map((trial) => trial[name])
            .join(' ')
            .trim(),
        ),
        ...[pair.exchange, pair.baseline, pair.candidate, pair.change],
        ...(unverified ? ['no'] : []),
      ];
    }),
  );
  return stringify([header, ...rows], { escape_formulas: true });
}
