/** What a chart draws for one trial. It may have further values. */
export interface ChartMark {
  trial: string;
  counted: boolean;
}

/** Every entry of a chart's data, at any depth, that names a trial and says whether it counts. */
export function marksIn(data: unknown): ChartMark[] {
  if (typeof data !== 'object' || data === null) return [];
  const own = 'trial' in data && 'counted' in data ? [data as ChartMark] : [];
  return [...own, ...Object.values(data).flatMap(marksIn)];
}
