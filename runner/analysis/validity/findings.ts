import type { Check } from '../../contract/check.ts';
import type { Metric } from '../../contract/metric.ts';
import type { OutsideReason } from '../../contract/outside-reason.ts';

export const pass = (name: string, finding: string): Check => ({ name, state: 'pass', finding });
export const warn = (name: string, finding: string): Check => ({ name, state: 'warn', finding });
/** @param outside what failed it, if that lies outside the servers: then the block is measured again */
export const fail = (name: string, finding: string, outside?: OutsideReason): Check => ({
  name,
  state: 'fail',
  finding,
  ...(outside && { outside }),
});
export const notAssessed = (name: string, finding: string): Check => ({ name, state: 'not assessed', finding });

/** Whole percents; one digit of what would be rounded to none. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return `${rounded === 0 ? Number((share * 100).toPrecision(1)) : rounded} %`;
}

/** A difference of shares, such as `0.12 points`. */
export function points(difference: number): string {
  return `${Number((difference * 100).toPrecision(2))} points`;
}

/** The relative changes between two ends, such as `+0.6 to +3.7 %`; differences of shares are in points. */
export function changeRange(
  { low, high }: { low: number; high: number },
  compared: Metric['compared'] = 'ratio',
): string {
  const isDifference = compared === 'difference';
  const signed = (change: number): string =>
    `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(isDifference ? 3 : 1)}`;
  return `${signed(low)} to ${signed(high)} ${isDifference ? 'points' : '%'}`;
}

/** Such as `fell by 12 %`. @param change relative: 0.05 is +5 %, Infinity is from nothing */
export function changeInWords(change: number): string {
  if (change === Infinity) return 'rose from nothing';
  return `${change < 0 ? 'fell' : 'rose'} by ${percent(Math.abs(change))}`;
}
