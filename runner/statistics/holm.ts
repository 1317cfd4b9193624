/**
 * Adjusts p-values after Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure". If those below alpha are
 * called, the chance of any false call is at most alpha, however the tests depend on each other.
 *
 * @returns adjusted p-values in the order given
 */
export function holm(pValues: readonly number[]): number[] {
  const bad = pValues.find((value) => !(value >= 0 && value <= 1));
  if (bad !== undefined) throw new RangeError(`${bad} is not a p-value`);
  const order = pValues.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let largest = 0;
  for (const [rank, { value, index }] of order.entries()) {
    largest = Math.min(1, Math.max(largest, value * (pValues.length - rank)));
    adjusted[index] = largest;
  }
  return adjusted;
}
