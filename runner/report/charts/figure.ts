import type { ChartOption, ChartSize } from './render.ts';

/** A picture with all that goes with it; rendered once for a page's width and once for a phone's. */
export interface Figure {
  title: string;
  caption: string;
  /** What the picture shows, for those who cannot see it. */
  alternative: string;
  /** Height in pixels at both widths. */
  height: number;
  option: (size: ChartSize) => ChartOption;
}
