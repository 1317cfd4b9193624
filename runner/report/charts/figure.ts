import type { ChartOption, ChartSize } from './render.ts';

/** A picture with all that goes with it; rendered once for a page's width and once for a phone's. */
export interface Figure<Data = unknown> {
  title: string;
  caption: string;
  /** What the picture shows, for those who cannot see it. */
  alternative: string;
  /** What is drawn, in base units. */
  data: Data;
  /** Whether a wide picture names the variants beside their marks; else a key always stands above it. */
  namesVariants: boolean;
  /** Height in pixels at both widths. */
  height: number;
  option: (size: ChartSize) => ChartOption;
}
