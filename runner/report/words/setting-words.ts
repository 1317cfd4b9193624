import { quantity } from './quantities.ts';

const byteUnits: Record<string, number> = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };
const secondUnits: Record<string, number> = { us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86_400 };

/** A value in a unit that people use, such as "128 MiB". pg_settings gives it with its own unit, such as `16384 (8kB)`. */
export function settingWords(value: string): string {
  const [, digits, multiple, unit] = /^(\d+) \((\d*)([A-Za-z]+)\)$/.exec(value) ?? [];
  if (digits === undefined || unit === undefined) return value;
  const amount = Number(digits) * (multiple === '' ? 1 : Number(multiple));
  // 0, like -1, often does not mean an amount, so it gets no unit.
  if (amount === 0) return digits;
  const bytes = byteUnits[unit];
  if (bytes !== undefined) return withoutZeros(quantity(amount * bytes, 'bytes'));
  const seconds = secondUnits[unit];
  return seconds === undefined ? value : withoutZeros(quantity(amount * seconds, 'duration'));
}

function withoutZeros(text: string): string {
  return text.replace(/\.0+(?= )/, '');
}
