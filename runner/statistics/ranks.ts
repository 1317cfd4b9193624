/**
 * Ranks from 1, multiplied by two: so the mean rank of tied values is a whole number, too.
 *
 * @returns doubled ranks in the order of the values
 */
export function doubledMidranks(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length).fill(0);
  let start = 0;
  while (start < order.length) {
    let end = start;
    while (end + 1 < order.length && order[end + 1]?.value === order[start]?.value) end++;
    for (const { index } of order.slice(start, end + 1)) ranks[index] = start + 1 + (end + 1);
    start = end + 1;
  }
  return ranks;
}
