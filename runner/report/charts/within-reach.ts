/**
 * Where a value is drawn that counts for nothing: it must not squeeze together what counts. Farther from the counted values
 * than these are from each other, it is drawn at that distance.
 *
 * @param counted the values that set the axis; where there are none, every value is drawn where it is
 */
export function withinReach(counted: readonly number[]): (value: number) => number {
  if (counted.length === 0) return (value) => value;
  const low = counted.reduce((a, b) => Math.min(a, b));
  const high = counted.reduce((a, b) => Math.max(a, b));
  const reach = high > low ? high - low : Math.abs(high) / 10;
  return (value) => Math.min(high + reach, Math.max(low - reach, value));
}
