import type { ChartOption, ChartSize } from './render.ts';

/** A picture with its texts. It is rendered twice: for the width of a page, and for the width of a phone. */
export interface Figure<Data = unknown> {
  title: string;
  caption: string;
  /** What the picture shows, for readers who cannot see it. */
  alternative: string;
  /** The values that are drawn, in base units. */
  data: Data;
  /** Whether a wide picture names the variants beside their marks. Otherwise there is always a key above it. */
  namesVariants: boolean;
  /** Height in pixels at both widths. */
  height: number;
  option: (size: ChartSize) => ChartOption;
}
