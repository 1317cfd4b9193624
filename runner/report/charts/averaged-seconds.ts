/** A page cannot show more points than this. With more of them, neighbours are averaged. */
const mostPoints = 300;

/** How many seconds each point averages. */
export function secondsPerPoint(seconds: number): number {
  return Math.ceil(seconds / mostPoints);
}

/** A point of a line over time. */
export interface AveragedSeconds {
  /** Index of its first second. */
  first: number;
  seconds: number;
  /** null if none of its seconds has a value. */
  mean: number | null;
}

/** @param perSecond null for a second without value */
export function averagedSeconds(perSecond: readonly (number | null)[], perPoint: number): AveragedSeconds[] {
  return Array.from({ length: Math.ceil(perSecond.length / perPoint) }, (_, index) => {
    const part = perSecond.slice(index * perPoint, (index + 1) * perPoint);
    const known = part.filter((value) => value !== null);
    const mean = known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    return { first: index * perPoint, seconds: part.length, mean };
  });
}
