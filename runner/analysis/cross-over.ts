import type { Metric } from '../metrics/catalogue.ts';

type Pair = readonly [baseline: number, candidate: number];

/**
 * Takes the first block of either period together, the second, and so on: the instance that carried the baseline in the one
 * carried the candidate in the other, so that what sets the two instances apart cancels out of their mean (Senn,
 * "Cross-over Trials in Clinical Research", 3.6). Geometric where ratios are compared and every value has one.
 */
export function crossOver(blocks: readonly { period: 1 | 2; pair: Pair }[], comparedBy: Metric['comparedBy']): Pair[] {
  const [first, second] = ([1, 2] as const).map((wanted) =>
    blocks.filter(({ period }) => period === wanted).map(({ pair }) => pair),
  );
  const geometric = comparedBy === 'ratio' && blocks.every(({ pair }) => pair.every((value) => value > 0));
  const mean = (a: number, b: number): number => (geometric ? Math.sqrt(a * b) : (a + b) / 2);
  return (first ?? []).flatMap((before, index) => {
    const after = second?.[index];
    return after ? [[mean(before[0], after[0]), mean(before[1], after[1])] as const] : [];
  });
}
