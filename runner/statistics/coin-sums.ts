/**
 * Exact distribution of a sum of weights, where a fair coin decides for each weight whether it counts. It is the null
 * distribution of the sign test (all weights 1) and of the signed-rank test (weights are the ranks).
 *
 * @param weights whole numbers, 0 or more
 * @returns probabilities of the sums 0, 1, 2 ... up to the sum of all weights
 */
export function coinSumDistribution(weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const probabilities = new Float64Array(total + 1);
  probabilities[0] = 1;
  let reached = 0;
  for (const weight of weights) {
    reached += weight;
    for (let sum = reached; sum >= 0; sum--) {
      const without = probabilities[sum] ?? 0;
      const with_ = sum >= weight ? (probabilities[sum - weight] ?? 0) : 0;
      probabilities[sum] = (without + with_) / 2;
    }
  }
  return probabilities;
}
