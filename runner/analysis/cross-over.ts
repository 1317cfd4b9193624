import type { Metric } from '../contract/metric.ts';

/** The values of one block, or in a crossover of one block of either period. */
export interface ValuePair {
  /** With the attempt that counts of each. */
  blocks: readonly { block: number; attempt: number }[];
  baseline: number;
  candidate: number;
}

/**
 * Takes the first block of either period together, the second, and so on: the instance that carried the baseline in the one
 * carried the candidate in the other, so that what sets the two instances apart cancels out of their mean (Senn,
 * "Cross-over Trials in Clinical Research", 3.6). Geometric where ratios are compared and every value has one.
 */
export function crossOver(
  blocks: readonly (ValuePair & { period: 1 | 2 })[],
  compared: Metric['compared'],
): ValuePair[] {
  const [first = [], second = []] = ([1, 2] as const).map((wanted) => blocks.filter(({ period }) => period === wanted));
  const geometric =
    compared !== 'difference' && blocks.every(({ baseline, candidate }) => baseline > 0 && candidate > 0);
  const mean = (a: number, b: number): number => (geometric ? Math.sqrt(a * b) : (a + b) / 2);
  return first.flatMap((before, index) => {
    const after = second[index];
    if (!after) return [];
    return [
      {
        blocks: [...before.blocks, ...after.blocks],
        baseline: mean(before.baseline, after.baseline),
        candidate: mean(before.candidate, after.candidate),
      },
    ];
  });
}
