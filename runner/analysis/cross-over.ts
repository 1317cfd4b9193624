import type { Metric } from '../contract/metric.ts';

/** The values of one block. In a crossover, the values of one block from each period. */
export interface ValuePair {
  /** Each block with the attempt that counts. */
  blocks: readonly { block: number; attempt: number }[];
  baseline: number;
  candidate: number;
}

/**
 * Pairs the first blocks of both periods, then the second blocks, and so on. The instance that carried the baseline in one
 * period carried the candidate in the other. So the difference between the two instances cancels out of their mean (Senn,
 * "Cross-over Trials in Clinical Research", 3.6). The mean is geometric if ratios are compared and every value has one.
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
