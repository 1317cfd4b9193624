import type { ComparedSide, Comparison } from '../../contract/comparison.ts';
import type { Ladder, LadderPoint } from '../../contract/ladder.ts';
import { levelKey } from '../../contract/trial.ts';

/**
 * Takes the value of each variant at each level from the comparisons there, so that the ladder and the table of the
 * level show the same number. The interval remains that of the variant alone. If it does not include the value, nothing
 * is changed.
 */
export function withComparedValues(ladders: readonly Ladder[], comparisons: readonly Comparison[]): Ladder[] {
  const sides = new Map<string, ComparedSide>();
  for (const { metric, conditions, baseline, candidate } of comparisons) {
    for (const side of [baseline, candidate]) {
      const key = keyOf(metric, conditions, side.variant);
      if (!sides.has(key)) sides.set(key, side);
    }
  }
  return ladders.map((ladder) => {
    const { axis, conditions, throughput, latency } = ladder;
    const compared = (estimate: LadderPoint['throughput'], metric: string, level: number, variant: string) => {
      const value = sides.get(keyOf(metric, { ...conditions, [axis]: level }, variant))?.value ?? null;
      if (!estimate || value === null) return estimate;
      const { interval } = estimate;
      return interval && (value < interval.low || value > interval.high) ? estimate : { ...estimate, value };
    };
    return {
      ...ladder,
      variants: ladder.variants.map((one) => ({
        ...one,
        points: one.points.map((point) => ({
          ...point,
          throughput: compared(point.throughput, throughput, point.level, one.variant),
          latency: latency === null ? point.latency : compared(point.latency, latency, point.level, one.variant),
        })),
      })),
    };
  });
}

function keyOf(metric: string, level: Comparison['conditions'], variant: string): string {
  return JSON.stringify([metric, levelKey(level), variant]);
}
