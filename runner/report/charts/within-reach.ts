/**
 * Gives the place where a value is drawn that counts for nothing, since such a value must not squeeze the counted values
 * together. If it lies farther outside of them than their own range is wide, it is drawn at that distance.
 *
 * @param counted the values that set the axis; if there are none, every value is drawn at its own place
 */
export function withinReach(counted: readonly number[]): (value: number) => number {
  if (counted.length === 0) return (value) => value;
  const low = counted.reduce((a, b) => Math.min(a, b));
  const high = counted.reduce((a, b) => Math.max(a, b));
  const reach = high > low ? high - low : Math.abs(high) / 10;
  return (value) => Math.min(high + reach, Math.max(low - reach, value));
}
