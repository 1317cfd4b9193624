import { nounFor } from '../contract/with-noun.ts';
import { metricNamed } from './catalogue.ts';
import { percent, percentList, percentRange, plainNumber } from './numbers.ts';

/** From this many times as much, or as little, a change is said as a multiple: 106 times, and not 10,500 % more. */
const minMultiple = 4;

/** Words for the size of a metric's changes. */
export interface ChangeSizes {
  /** Of a change without its sign; of a multiple, such as `106 times` or `1/106`, with it. */
  size: (change: number) => string;
  range: (low: number, high: number) => string;
  list: (changes: readonly number[]) => string;
  isMultiple: boolean;
}

/**
 * Words for the size of a metric's changes: in percent, if they are large as multiples, or for shares, which change by a
 * difference, in points.
 *
 * @param of the change that decides between the first two for all that is said of it. @default percent
 */
export function changeSizes(metric: string, of: number | null = null): ChangeSizes {
  return metricNamed(metric)?.kind === 'share' ? points : ratioSizes(of);
}

/** The same for relative changes, of whatever. */
export function ratioSizes(of: number | null): ChangeSizes {
  const factor = 1 + (of ?? 0);
  return factor >= minMultiple || (factor > 0 && factor <= 1 / minMultiple) ? multiples : percents;
}

const percents: ChangeSizes = { size: percent, range: percentRange, list: percentList, isMultiple: false };

const points: ChangeSizes = {
  size: (change) => `${pointsOf(change)} ${nounFor(Math.abs(change * 100), 'point')}`,
  range: (low, high) => `${pointsOf(low)} to ${pointsOf(high)} points`,
  list: (changes) => `${changes.map(pointsOf).join(', ')} points`,
  isMultiple: false,
};

function pointsOf(change: number): string {
  const value = Number((change * 100).toFixed(10));
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 }).replace('-', '−');
}

/** A fall to less than this is said as a fraction. */
const maxFraction = 0.5;

const multiples: ChangeSizes = {
  size: (change) => timesWords([change], ''),
  range: (low, high) => timesWords([low, high], ' to '),
  list: (changes) => timesWords(changes, ', '),
  isMultiple: true,
};

/** Such as `99 to 112 times` or `1/112 to 1/99`. */
function timesWords(changes: readonly number[], between: string): string {
  const factors = changes.map((change) => 1 + change);
  const words = factors.map((factor) =>
    factor > 0 && factor <= maxFraction ? `1/${plainNumber(1 / factor)}` : factorWords(factor),
  );
  return `${words.join(between)}${(factors.at(-1) ?? 0) > maxFraction ? ' times' : ''}`;
}

/** Near 1, digits enough to see on which side of it the factor is. */
function factorWords(factor: number): string {
  if (factor >= 2 || factor === 1) return plainNumber(factor);
  return factor.toFixed(Math.abs(factor - 1) < 0.005 ? 4 : 2).replace(/\.?0+$/, '');
}
