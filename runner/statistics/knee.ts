import type { Interval } from './exact-interval.ts';
import { resampledInterval } from './resample.ts';
import { hodgesLehmann } from './signed-rank.ts';

/** Values of one block by the index of the level, such as throughput; null where nothing was measured. */
export type LadderBlock = readonly (number | null)[];

export interface FoundKnee {
  /** Index of the lowest level within the tolerance of the best. */
  knee: number;
  /** Index of the best level. */
  best: number;
}

/**
 * The knee of a ladder: the lowest level whose throughput lies within `tolerance` of the best. Levels are estimated from their
 * blocks by the Hodges-Lehmann estimate on the log scale.
 *
 * @param blocks values above zero; levels in ascending order
 * @param tolerance such as 0.05
 * @returns null if fewer than two levels have values
 */
export function findKnee(blocks: readonly LadderBlock[], tolerance: number): FoundKnee | null {
  const centres = levelCentres(blocks).map((centre) => centre ?? -Infinity);
  if (centres.filter(Number.isFinite).length < 2) return null;
  const most = Math.max(...centres);
  return {
    knee: centres.findIndex((centre) => centre >= most + Math.log1p(-tolerance)),
    best: centres.indexOf(most),
  };
}

/**
 * Smallest and largest index that the knee may have, from blocks that are drawn again. They are drawn whole, since trials of
 * a block share what the machine was like.
 *
 * @returns null if there are too few blocks
 */
export function kneeInterval(
  blocks: readonly LadderBlock[],
  { tolerance, level }: { tolerance: number; level: number },
): Interval | null {
  const drawn = resampledInterval(blocks, (some) => findKnee(some, tolerance)?.knee ?? null, level);
  // Between two levels there is none: an end that falls between them is moved outwards.
  return drawn && { ...drawn, low: Math.floor(drawn.low), high: Math.ceil(drawn.high) };
}

/** Logarithms of the estimates of all levels; null where no block has a value. */
export function levelCentres(blocks: readonly LadderBlock[]): (number | null)[] {
  const levels = Math.max(0, ...blocks.map(({ length }) => length));
  return Array.from({ length: levels }, (_, index) =>
    hodgesLehmann(blocks.flatMap((block) => (block[index] ? [Math.log(block[index])] : []))),
  );
}
