import type { Protocol } from '../../runner/contract/experiment/schema.ts';
import { drawOrders } from '../../runner/experiment/plan/draws.ts';
import { mean, variance } from '../../runner/statistics/summaries.ts';
import { studentTails } from '../../runner/statistics/distributions.ts';
import { drawSeconds, type Noise, type Random } from './noise.ts';
import type { Pair } from './tool.ts';

interface Simulated {
  noise: Noise;
  blocks: number;
  random: Random;
  order?: Protocol['order'];
}

/**
 * Simulates one experiment of two variants, in an order drawn by the code that orders real experiments.
 *
 * @param effect true log-ratio of candidate to baseline
 */
export function simulateBlocks({ effect, ...simulated }: Simulated & { effect: number }): Pair[] {
  return simulateFamily({ ...simulated, effects: [effect] })[0] ?? [];
}

/**
 * Simulates one experiment of a baseline and several candidates.
 *
 * @param effects true log-ratio of each candidate to the baseline
 * @returns the pairs of each candidate; all have the baseline's trials in common
 */
export function simulateFamily({
  noise,
  blocks,
  effects,
  random,
  order = 'random',
}: Simulated & { effects: readonly number[] }): Pair[][] {
  const seed = Math.floor(random() * 2 ** 32);
  const variants = ['baseline', ...effects.map((_, index) => `candidate ${index + 1}`)];
  const levels = noise.draw(variants.length * blocks, random);
  const orders = drawOrders(variants, { blocks, order, seed });
  const throughputs = variants.map((variant, which) =>
    orders.map((positions, block) => {
      const position = positions.findIndex((together) => together.includes(variant));
      return 1000 * Math.exp((levels[variants.length * block + position] ?? 0) + (effects[which - 1] ?? 0));
    }),
  );
  const [baselines = [], ...candidates] = throughputs;
  return candidates.map((values) =>
    values.map((candidate, block) => ({ baseline: baselines[block] ?? NaN, candidate })),
  );
}

/** What is known after three runs of one variant and then three of the other. */
export interface RunsInARow {
  /** Whether Welch's t-test of their seconds calls the variants different. */
  bySeconds: boolean;
  /** Whether Welch's t-test of the means of the runs does. */
  byMeans: boolean;
}

/** The old way: three runs of one variant, then three of the other, though nothing differs. */
export function measureInARow(noise: Noise, random: Random): RunsInARow {
  const runs = noise.draw(6, random).map((level) => drawSeconds(level, 60, random).map(Math.exp));
  const [first, second] = [runs.slice(0, 3), runs.slice(3)];
  return {
    bySeconds: welchDiffers(first.flat(), second.flat()),
    byMeans: welchDiffers(first.map(mean), second.map(mean)),
  };
}

/** Welch's t-test (1947) at 5%, two-sided, with Satterthwaite's degrees of freedom (1946). */
export function welchDiffers(first: readonly number[], second: readonly number[]): boolean {
  const [one, other] = [first, second].map((values) => (variance(values) ?? 0) / values.length) as [number, number];
  const freedom = (one + other) ** 2 / (one ** 2 / (first.length - 1) + other ** 2 / (second.length - 1));
  return studentTails(Math.abs(mean(second) - mean(first)) / Math.sqrt(one + other), freedom) < 0.05;
}
