/** Sizes of PostgreSQL's units: bytes, or milliseconds. Source: the section "Parameter Names and Values" of its manual. */
const unitSizes: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Hexadecimal digits, with a fraction or a power of two if they have them; or a decimal number. */
const numberPattern =
  /^[\t-\r ]*([-+]?)(?:0x(?=\.?[0-9a-f])([0-9a-f]*)\.?([0-9a-f]*)(?:p([-+]?\d+))?|((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?))/i;

/**
 * The number at the start of a text, as C's strtod reads it, but for infinities and NaN, which no parameter takes.
 *
 * @returns the number and what follows it; null if there is none
 */
export function readNumber(text: string): { number: number; rest: string } | null {
  const [written, sign, digits = '', fraction = '', power = '0', decimal] = numberPattern.exec(text) ?? [];
  if (written === undefined) return null;
  const size =
    decimal === undefined
      ? Number(`0x${digits}${fraction}`) * 2 ** (Number(power) - 4 * fraction.length)
      : Number(decimal);
  return Number.isFinite(size) ? { number: sign === '-' ? -size : size, rest: text.slice(written.length) } : null;
}

/**
 * A number that may have a unit, as people write it for PostgreSQL, such as `2GB` or `0.5 s`.
 *
 * @returns null if the text is not a number, or has an unknown unit
 */
export function parseQuantity(text: string): { number: number; unit: string | null } | null {
  const read = readNumber(text);
  const unit = read?.rest.trim() ?? '';
  if (!read || (unit !== '' && !(unit in unitSizes))) return null;
  return { number: read.number, unit: unit === '' ? null : unit };
}

/**
 * How many units of `to` make one unit of `from`. A unit may include a number, such as the `8kB` of a page.
 *
 * @returns null if one of them is a time and the other is not, or if a unit is unknown
 */
export function unitRatio(from: string, to: string): number | null {
  const [one, other] = [measured(from), measured(to)];
  return one && other && one.isTime === other.isTime ? one.size / other.size : null;
}

/**
 * A setting as pg_settings shows it, with its unit, such as `16384 (8kB)`: in bytes, in seconds, or as it is without a unit.
 *
 * @returns null if it is no number
 */
export function settingNumber(setting = ''): number | null {
  const [, number, unit] = /^(-?[\d.]+)(?: \((\w+)\))?$/.exec(setting) ?? [];
  if (number === undefined) return null;
  const size = unit === undefined ? 1 : (unitRatio(unit, 'B') ?? unitRatio(unit, 's'));
  return size === null ? null : Number(number) * size;
}

/** The units that measure the same as this one, from the smallest to the largest: sizes or times; none for other words. */
export function unitsLike(unit: string): string[] {
  return Object.keys(unitSizes).filter((one) => unitRatio(one, unit) !== null);
}

function measured(unit: string): { size: number; isTime: boolean } | null {
  const [, count = '', name = ''] = /^(\d*)(\w+)$/.exec(unit) ?? [];
  const size = unitSizes[name];
  return size === undefined ? null : { size: size * (count === '' ? 1 : Number(count)), isTime: !name.endsWith('B') };
}
