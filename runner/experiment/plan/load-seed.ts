import type { MeasureStep } from '../../contract/plan.ts';
import { drawBits } from './coin.ts';

/**
 * Seed of everything that the tool draws for one load: rows, scripts, and with an offered rate the moments of arrival. All
 * trials of a block have the same ("common random numbers": Law & Kelton, "Simulation Modeling and Analysis", 11.2). So its
 * variants are asked for the same transactions at the same times, and chance makes no difference between them. Every block,
 * and every repeat of one, has its own.
 *
 * @param seed the experiment's
 * @param load a warm-up must not be of the very rows that are measured afterwards
 * @returns an integer from 0 to 2^32 − 1
 */
export function loadSeed(
  seed: number,
  { block, attempt }: Pick<MeasureStep, 'block' | 'attempt'>,
  load: 'warm-up' | 'measure',
): number {
  return drawBits(seed, { of: load, block, attempt });
}
