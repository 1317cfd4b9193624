import type { QuantityKind } from './metric.ts';

/**
 * Numbers, sizes, lengths of time, plurals and lists as every room prints them; changes are in format-change.ts. It stands in
 * contract/, since checks, rules and plans state numbers, too. Only this file turns base units into readable ones.
 */

/** Shown if there is no value. */
export const absent = '–';

/** By the number of decimals. Making one takes fifty times as long as using it. */
const formats = new Map<number, Intl.NumberFormat>();

export function formatDecimal(value: number, decimals: number): string {
  const made = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = formats.get(decimals) ?? new Intl.NumberFormat('en-US', made);
  formats.set(decimals, format);
  const text = format.format(value);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}

/** About two significant digits, without a zero that says nothing: "4.2", "12", "1,060". */
export function plainNumber(value: number): string {
  return formatDecimal(value, Math.abs(value) < 9.95 ? 1 : 0).replace(/\.0$/, '');
}

/** A number with all of its digits, in groups: "1,234,567". */
export function inDigits(value: number): string {
  return value.toLocaleString('en-US');
}

/** A ratio as percent, for a sentence: "31%", "4.2%". */
export function percent(ratio: number): string {
  return `${plainNumber(ratio * 100)}%`;
}

/** A share in whole percents; one that would round to zero keeps one digit. */
export function wholePercent(share: number): string {
  const rounded = Math.round(share * 100);
  return `${rounded === 0 ? Number((share * 100).toPrecision(1)) : rounded}%`;
}

/** A confidence level as percent: "96.9%", but "95%". */
export function levelPercent(level: number): string {
  return `${formatDecimal(level * 100, 1).replace(/\.0$/, '')}%`;
}

/** One unit for all values that are compared with each other. */
export interface Scale {
  /** Empty if the quantity needs no unit. */
  unit: string;
  divisor: number;
  decimals: number;
}

const timeUnits: ReadonlySet<string> = new Set(['min', 's', 'ms', 'µs']);

const ladders: Record<QuantityKind, readonly { from: number; unit: string; divisor: number }[]> = {
  rate: [{ from: 0, unit: '', divisor: 1 }],
  count: [{ from: 0, unit: '', divisor: 1 }],
  share: [{ from: 0, unit: '%', divisor: 0.01 }],
  duration: [
    { from: 600, unit: 'min', divisor: 60 },
    { from: 1, unit: 's', divisor: 1 },
    { from: 0.0001, unit: 'ms', divisor: 0.001 },
    { from: 0, unit: 'µs', divisor: 1e-6 },
  ],
  latency: [
    { from: 10, unit: 's', divisor: 1 },
    { from: 0, unit: 'ms', divisor: 0.001 },
  ],
  bytes: [
    { from: 1024 ** 3, unit: 'GiB', divisor: 1024 ** 3 },
    { from: 1024 ** 2, unit: 'MiB', divisor: 1024 ** 2 },
    { from: 10 * 1024, unit: 'KiB', divisor: 1024 },
    { from: 0, unit: 'B', divisor: 1 },
  ],
};

/** The unit and precision in which all of these values are easy to read. */
export function scaleFor(kind: QuantityKind, values: readonly (number | null)[]): Scale {
  const known = values.filter((value) => value !== null).map(Math.abs);
  const largest = Math.max(0, ...known);
  const step = ladders[kind].find(({ from }) => largest >= from) ?? { unit: '', divisor: 1 };
  const whole = known.every(Number.isInteger) && (kind === 'count' || (kind === 'bytes' && step.divisor === 1));
  const smallest = Math.min(largest, ...known.filter((value) => value > 0));
  const usual = Math.min(decimalsFor(smallest / step.divisor), decimalsFor(largest / step.divisor) + 1);
  const decimals = whole || largest / step.divisor >= 100 ? 0 : usual;
  if (kind !== 'share') return { unit: step.unit, divisor: step.divisor, decimals };
  // The message of a share near 100% is the rest: 99.97%, and not 100.0%.
  const rests = known.map((value) => 1 - value).filter((rest) => rest > noise);
  return { unit: step.unit, divisor: step.divisor, decimals: Math.max(decimals, ...rests.map(decimalsOfRest)) };
}

/** Smaller amounts are rounding errors of sums of floating-point numbers. */
const noise = 1e-12;

/** Number of decimals with which a share in percent is not rounded to 100. @param rest of the share to 1, above zero */
function decimalsOfRest(rest: number): number {
  return Math.max(0, -Math.floor(Math.log10(rest * 100)));
}

/** Number of decimals for about three significant digits. */
function decimalsFor(value: number): number {
  return value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
}

/**
 * The number alone, such as "13,397". Its unit is in the name of the row or the axis. A value other than zero never
 * reads 0, and a share below one never reads 100, however many decimals the other values need.
 */
export function inScale(value: number | null, { divisor, decimals, unit }: Scale): string {
  if (value === null) return absent;
  const size = Math.abs(value) / divisor;
  const rest = 1 - Math.abs(value);
  // Beside a long time, one digit of a short one would say little: 1 ms may be 1.4.
  const isCoarse = size * 10 ** decimals < (timeUnits.has(unit) && decimals === 0 ? 9.5 : 0.5);
  if (Math.abs(value) > noise && isCoarse) {
    return formatDecimal(value / divisor, 1 - Math.floor(Math.log10(size)));
  }
  const min = unit === '%' && rest > noise ? decimalsOfRest(rest) : 0;
  return formatDecimal(value / divisor, Number(size.toFixed(decimals)) === 100 ? Math.max(decimals, min) : decimals);
}

/** The same with its unit, such as `4.50 ms`. */
export function inUnit(value: number | null, scale: Scale): string {
  if (value === null || scale.unit === '') return inScale(value, scale);
  return `${inScale(value, scale)}${scale.unit === '%' ? '' : ' '}${scale.unit}`;
}

/** A value with its unit, such as "4.50 ms". */
export function quantity(value: number | null, kind: QuantityKind): string {
  return inUnit(value, scaleFor(kind, [value]));
}

/** A value that somebody chose, such as "2 s", "10 min" or "128 MiB": without zeros that say nothing. */
export function chosen(value: number, kind: QuantityKind): string {
  return quantity(value, kind).replace(/\.0+(?=[ %])/, '');
}

/** A length of time as people say it: `12 s`, `3 min 4 s`, `1 h 17 min`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (whole < 600) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  const rounded = Math.round(whole / 60);
  if (rounded < 60) return `${rounded} min`;
  return rounded % 60 === 0 ? `${rounded / 60} h` : `${Math.floor(rounded / 60)} h ${rounded % 60} min`;
}

/** US dollars; `low` and `high` differ if sources disagree on a price. */
interface Range {
  low: number;
  high: number;
}

/** Dollars in words, such as "$19.31" or "$18.93 to $19.69". */
export function dollarsText(dollars: Range): string {
  return rangeText(dollars, dollars.high >= 100 ? 0 : 2, '$');
}

/** A range of numbers; one number if its ends look the same. */
export function rangeText({ low, high }: Range, decimals: number, currency = ''): string {
  const [from, to] = [low, high].map((value) => currency + formatDecimal(value, decimals));
  return from === to ? `${from}` : `${from} to ${to}`;
}

/** A count with its noun, such as `1 client` or `2,000 clients`. */
export function withNoun(count: number, one: string, many = `${one}s`): string {
  return `${inDigits(count)} ${nounFor(count, one, many)}`;
}

/** The noun alone, for counts that are written in another way. */
export function nounFor(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A number up to twelve as a word, for sentences; larger numbers as digits. */
export function countInWords(count: number): string {
  const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
  return words[count] ?? inDigits(count);
}

/** `en-US` would put a comma before `and`. */
const lists = new Intl.ListFormat('en-GB');

/** Such as `a`, `a and b`, or `a, b and c`. */
export function list(items: readonly string[]): string {
  return lists.format(items);
}

/** Clauses, with a comma before `and`: each may have an `and` of its own. */
export function listOfClauses(clauses: readonly string[]): string {
  return clauses.length < 2 ? clauses.join('') : `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1) ?? ''}`;
}

/** The text as the start of a sentence. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
