/** A seed for which this many times as many have to be drawn has few cases that can hit. */
const maxDrawn = 4;

/**
 * Carries out numbers from 1 on, until so many of them have hit, or until it has drawn four times as many. Which numbers
 * these are depends on nothing but on which of them hit.
 */
export async function drawUntil<T>(
  hits: number,
  { carryOutAll, isHit }: { carryOutAll: (numbers: readonly number[]) => Promise<T[]>; isHit: (outcome: T) => boolean },
): Promise<T[]> {
  const outcomes: T[] = [];
  for (let missing = hits; missing > 0; missing = hits - outcomes.filter(isHit).length) {
    const round = Math.min(missing, maxDrawn * hits - outcomes.length);
    if (round === 0) break;
    outcomes.push(...(await carryOutAll(Array.from({ length: round }, (_, index) => outcomes.length + index + 1))));
  }
  return outcomes;
}
