/**
 * Returns the place at which to draw a value that does not count, since such a value must not squeeze the counted
 * values together. A value that is farther outside their range than the range is wide is drawn at that distance.
 *
 * @param counted the values that set the axis; if there are none, every value is drawn at its own place
 */
export function clampToRange(counted: readonly number[]): (value: number) => number {
  if (counted.length === 0) return (value) => value;
  const low = counted.reduce((a, b) => Math.min(a, b));
  const high = counted.reduce((a, b) => Math.max(a, b));
  const reach = high > low ? high - low : Math.abs(high) / 10;
  return (value) => Math.min(high + reach, Math.max(low - reach, value));
}
