import type { Result } from '../../contract/result.ts';
import { absent, dollarsText, rangeText } from '../../contract/format.ts';
import { ratioFormat } from '../../contract/format-change.ts';
import { isClaim } from '../answer/claims.ts';
import { ratioWords } from '../metric-words.ts';
import { worthIn } from '../sections/costs.ts';

export interface PriceRow {
  what: string;
  /** Empty if only their ratio is known. */
  before: string;
  after: string;
  change: string;
  range: string;
}

/** What one comparison costs. Of several, the details have a table. */
export function priceRows(result: Result): PriceRow[] {
  const [worth, ...others] = worthIn(result.comparisons, result);
  if (!worth || others.length > 0) return [];
  const { comparison, more, perDollar } = worth;
  const month = (name: string): string => {
    const dollars = result.variants.find((variant) => variant.name === name)?.cost?.dollarsPerMonth;
    return dollars ? `$${rangeText(dollars, 0)}` : absent;
  };
  const ends = [more.low ?? more.value, more.high ?? more.value].map(Math.abs);
  const size = dollarsText({ low: Math.min(...ends), high: Math.max(...ends) });
  const price: PriceRow = {
    what: 'one server, a month',
    before: month(comparison.baseline.variant),
    after: month(comparison.candidate.variant),
    change: more.value === 0 ? 'no change' : `${more.value > 0 ? '+' : '−'}${size}`,
    range: '',
  };
  // Without a verdict, nothing is claimed about work.
  if (!isClaim(comparison.verdict)) return [price];
  const { low, high, value } = perDollar;
  const range = low === null || high === null ? '' : ratioFormat(value).range(low, high);
  return [price, { what: 'work per dollar', before: '', after: '', change: ratioWords(value), range }];
}
