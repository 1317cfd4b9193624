import type { MeasureStep } from '../../contract/plan.ts';

/** What each load of a step draws with: a warm-up must not be of the very rows that are measured afterwards. */
const loads = ['warm-up', 'measure'] as const;

/** An experiment may have 1000. */
const mostBlocks = 1024;

/**
 * Seed of everything that the tool draws for one load: rows, scripts, and with an offered rate the moments of arrival. All
 * trials of a block have the same ("common random numbers": Law & Kelton, "Simulation Modeling and Analysis", 11.2). So its
 * variants are asked for the same transactions at the same times, and chance makes no difference between them. Every block,
 * and every repeat of one, has its own.
 *
 * @param seed the experiment's
 * @returns an integer from 0 to 2^32 − 1
 */
export function loadSeed(
  seed: number,
  { block, attempt }: Pick<MeasureStep, 'block' | 'attempt'>,
  load: (typeof loads)[number],
): number {
  // No two loads of a run have the same number, and the odd factor spreads numbers and keeps them different.
  const number = (attempt * mostBlocks + block) * loads.length + loads.indexOf(load);
  return (seed + Math.imul(number, 0x9e3779b9)) >>> 0;
}
