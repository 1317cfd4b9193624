import { chartsFolder } from '../storage/run-files.ts';
import { type Figure, keyOf } from './charts/figure.ts';
import { standaloneChart } from './charts/standalone.ts';
import { sections } from './sections/registry.ts';
import { drawnIn } from './sections/section.ts';
import type { Reported } from './reported.ts';

/** A picture of report.md, in its own file. */
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
 */
export function chartFiles(of: Reported): ChartFiles {
  const key = keyOf(of.result);
  const parts = drawnIn('markdown', sections, of).flatMap(({ drawn }) => drawn.flatMap((block) => block.parts));
  return new Map(
    parts.flatMap((part) =>
      part.kind === 'pictures'
        ? [
            [
              part.id,
              part.figures.map((figure, index) => ({
                ...figure,
                name: `${chartsFolder}/${part.id}${index === 0 ? '' : `-${index + 1}`}.svg`,
                text: standaloneChart(figure, key),
              })),
            ] as const,
          ]
        : [],
    ),
  );
}
