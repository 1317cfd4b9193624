import { absent, formatDecimal, percent, plainNumber } from './format.ts';
import type { Metric, QuantityKind } from './metric.ts';

/** How changes are put into words: in percent, if they are large as multiples, or for shares, which change by a difference, in points. */
export interface ChangeFormat {
  /** Of a change without its sign; of a multiple, such as `106 times` or `1/106`, with it. */
  size: (change: number) => string;
  /** For a table, such as `+31.0%`. */
  signed: (change: number | null) => string;
  range: (low: number, high: number) => string;
  list: (changes: readonly number[]) => string;
  /** Such as `31% faster` or `53 times as fast`. @param high if there are several changes of one sign: `50% to 52% slower` */
  than: (change: number, phrase?: DirectionPhrase, high?: number) => string;
  isMultiple: boolean;
}

/** What a change up and a change down are called, and what follows a multiple. */
interface DirectionPhrase {
  less: string;
  more: string;
  as: string;
}

const height: DirectionPhrase = { less: 'lower', more: 'higher', as: 'high' };

/** From this many times as much, or as little, a change is said as a multiple: 106 times, and not 10,500% more. */
const minMultiple = 4;

/** @param of the change that decides between percent and multiples for all that is said of it. @default percent */
export function changeFormat(kind: QuantityKind | undefined, of: number | null = null): ChangeFormat {
  return kind === 'share' ? points : ratioFormat(of);
}

/** The same for relative changes, of whatever. */
export function ratioFormat(of: number | null): ChangeFormat {
  const factor = 1 + (of ?? 0);
  return factor >= minMultiple || (factor > 0 && factor <= 1 / minMultiple) ? multiples : percents;
}

const inPercent = (ratio: number): string => plainNumber(ratio * 100);

/** The sizes of the ends, or one size if they look the same. */
function sizeOrRange({ size, range }: Pick<ChangeFormat, 'size' | 'range'>, low: number, high: number): string {
  return size(low) === size(high) ? size(low) : range(low, high);
}

/** The same without signs, the smaller one first, and the direction. */
function directed(format: ChangeFormat, [low, high]: [number, number], { less, more }: DirectionPhrase): string {
  const [smaller, larger] = [Math.abs(low), Math.abs(high)].sort((a, b) => a - b) as [number, number];
  return `${sizeOrRange(format, smaller, larger)} ${low < 0 ? less : more}`;
}

const percents: ChangeFormat = {
  size: percent,
  signed(change) {
    if (change === null) return absent;
    const text = formatDecimal(change * 100, 1);
    return `${change > 0 && text !== '0.0' ? '+' : ''}${text}%`;
  },
  range: (low, high) => `${inPercent(low)}% to ${inPercent(high)}%`,
  list: (changes) => `${changes.map(inPercent).join(', ')}%`,
  than(change, phrase = height, high = change) {
    // One that would read 0%.
    const isTiny = Math.max(Math.abs(change), Math.abs(high)) < 0.0005;
    return isTiny
      ? `less than 0.1% ${change < 0 ? phrase.less : phrase.more}`
      : directed(percents, [change, high], phrase);
  },
  isMultiple: false,
};

const points: ChangeFormat = {
  size: (change) => pointsWords([change], ''),
  signed: (change) => (change === null ? absent : `${change > 0 ? '+' : ''}${points.size(change)}`),
  range: (low, high) => pointsWords([low, high], ' to '),
  list: (changes) => pointsWords(changes, ', '),
  than: (change, phrase = height, high = change) => directed(points, [change, high], phrase),
  isMultiple: false,
};

/** The noun goes by the number as printed. */
function pointsWords(changes: readonly number[], between: string): string {
  const numbers = changes.map(pointsOf);
  return `${numbers.join(between)} ${/^−?1$/.test(numbers.join()) ? 'point' : 'points'}`;
}

function pointsOf(change: number): string {
  const value = Number((change * 100).toFixed(10));
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 }).replace('-', '−');
}

/** A fall to less than this is said as a fraction. */
const maxFraction = 0.5;

const multiples: ChangeFormat = {
  size: (change) => timesWords([change], ''),
  signed: (change) => (change === null ? absent : multiples.size(change)),
  range: (low, high) => timesWords([low, high], ' to '),
  list: (changes) => timesWords(changes, ', '),
  than: (change, phrase = height, high = change) => `${sizeOrRange(multiples, change, high)} as ${phrase.as}`,
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

/** The changes between two ends with their signs, such as `+0.6% to +3.7%`. */
export function changeRange(
  { low, high }: { low: number; high: number },
  compared: Metric['compared'] = 'ratio',
): string {
  const large = [low, high].map(ratioFormat).find(({ isMultiple }) => isMultiple);
  if (large && compared !== 'difference') return large.range(low, high);
  if (compared !== 'difference') return `${percents.signed(low)} to ${percents.signed(high)}`;
  return `${points.signed(low).replace(/ .*/, '')} to ${points.signed(high)}`;
}

/** Such as `fell by 12%` or `rose to 53 times as much`. @param change relative: 0.05 is +5%, Infinity is from nothing */
export function movedWords(change: number, format = ratioFormat(change)): string {
  if (change === Infinity) return 'rose from zero';
  const { isMultiple, size } = format;
  return `${change < 0 ? 'fell' : 'rose'} ${isMultiple ? `to ${size(change)} as much` : `by ${size(Math.abs(change))}`}`;
}
