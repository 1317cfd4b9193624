import { chartsFolder } from '../storage/run-files.ts';
import type { SeriesSource } from '../storage/series.ts';
import { drawAll } from './charts/draw-all.ts';
import { keyOf } from './charts/key.ts';
import type { Drawn, Figure } from './charts/render.ts';
import { standaloneChart } from './charts/standalone.ts';
import { sections } from './sections/registry.ts';
import { blocksFor, type Reported } from './sections/section.ts';

/** A picture of report.md, in a file of its own. */
export interface ChartFile extends Pick<Figure, 'title' | 'caption' | 'alternative'> {
  /** Relative to report.md, such as `charts/change.svg`. It comes from the id of a section, never from a name in a result. */
  name: string;
  /** SVG. */
  text: string;
}

/** The pictures of each part, by the id of the part. */
export type ChartFiles = ReadonlyMap<string, readonly ChartFile[]>;

/**
 * Draws the pictures of report.md. Those over time are left out: each holds the series of all trials, and is read by moving
 * a line over it, which only the page can do.
 *
 * @param drawn pictures that the page has, too, are drawn once. @default none is
 */
export async function chartFiles(
  of: Reported,
  series: SeriesSource,
  drawn: Drawn = new Map<string, string>(),
): Promise<ChartFiles> {
  const key = keyOf(of.result);
  const found = new Map<string, ChartFile[]>();
  for (const part of sections.flatMap((section) => blocksFor('markdown', section, of)).flatMap(({ parts }) => parts)) {
    if (part.kind !== 'pictures') continue;
    const figures = 'figures' in part ? part.figures : await drawAll(part.charts, of.result, series);
    const files = figures.map((figure, index): ChartFile => {
      const { title, caption, alternative } = figure;
      const name = `${chartsFolder}/${part.id}${index === 0 ? '' : `-${index + 1}`}.svg`;
      return {
        name,
        title,
        caption,
        alternative,
        text: standaloneChart(figure, key, { id: `${part.id}-${index + 1}`, drawn }),
      };
    });
    found.set(part.id, files);
  }
  return found;
}
