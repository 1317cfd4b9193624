import type { Result } from '../../contract/result.ts';
import type { SeriesSource } from '../../storage/series.ts';
import type { Figure } from './render.ts';
import { type Chart, chartSubjects } from './subject.ts';

/** The pictures of every level, level by level; without those for which nothing was measured. */
export async function drawAll(charts: readonly Chart[], result: Result, series: SeriesSource): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const subject of chartSubjects(result, series)) {
    // Side by side, so that all of them look at a trial's series while it is in memory.
    const drawn = await Promise.all(charts.map((chart) => chart(subject)));
    figures.push(...drawn.filter((figure) => figure !== null));
  }
  return figures;
}
