import { type LadderBlock, levelCentres } from './knee.ts';

/** Values of one block by the index of the level, and the half of the blocks that it belongs to. */
export interface HalvedBlock {
  half: 0 | 1;
  values: LadderBlock;
}

export interface BestLevel {
  /** Index of the level that each half chose, which the other half is read at. */
  chosen: [byFirst: number, bySecond: number];
  /** The value of each block at the level that the other half chose; null where it has none. */
  values: (number | null)[];
}

/**
 * The best level of a ladder, without the bias of a maximum. The best of several noisy levels looks better than it is, since
 * noise helped to choose it. So each half of the blocks chooses a level by its Hodges-Lehmann estimates, and the value of
 * that level comes from the other half alone (cross-fitting; Cox 1975, "A note on data-splitting for the evaluation of
 * significance levels"). What is estimated is the value of a level that is chosen in this way: at most that of the best one.
 *
 * @param blocks values above zero; levels in ascending order. A level that fewer than half of the blocks have is no choice
 * @returns null if a half has no level to choose
 */
export function bestByHalves(blocks: readonly HalvedBlock[]): BestLevel | null {
  const levels = Math.max(0, ...blocks.map(({ values }) => values.length));
  const isChoice = Array.from(
    { length: levels },
    (_, index) => 2 * blocks.filter(({ values }) => values[index]).length >= blocks.length,
  );
  const choose = (half: 0 | 1): number => {
    const own = blocks.filter((block) => block.half === half).map(({ values }) => values);
    const centres = levelCentres(own).map((centre, index) => (isChoice[index] ? (centre ?? -Infinity) : -Infinity));
    const most = Math.max(-Infinity, ...centres);
    return Number.isFinite(most) ? centres.indexOf(most) : -1;
  };
  const chosen: BestLevel['chosen'] = [choose(0), choose(1)];
  if (chosen.includes(-1)) return null;
  return { chosen, values: blocks.map(({ half, values }) => values[chosen[half === 0 ? 1 : 0]] ?? null) };
}
