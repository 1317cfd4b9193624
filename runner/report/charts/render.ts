import { LineChart, type LineSeriesOption, ScatterChart, type ScatterSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
  MarkAreaComponent,
  type MarkAreaComponentOption,
  MarkLineComponent,
  type MarkLineComponentOption,
  TitleComponent,
  type TitleComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';

/** A picture with its texts. It is rendered twice: for the width of a page, and for the width of a phone. */
export interface Figure<Data = unknown> {
  title: string;
  caption: string;
  /** What the picture shows, for readers who cannot see it. */
  alternative: string;
  /** The values that are drawn, in base units. */
  data: Data;
  /** At which widths the variants have their names beside their marks, so that no key above them is needed. */
  namesVariants: 'always' | 'if wide' | 'never';
  /** Pixels, at a width in pixels. */
  height: (width: number) => number;
  option: (size: ChartSize) => ChartOption;
}

use([
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  MarkAreaComponent,
  MarkLineComponent,
  LabelLayout,
  SVGRenderer,
]);

export type ChartOption = ComposeOption<
  | LineSeriesOption
  | ScatterSeriesOption
  | GridComponentOption
  | MarkAreaComponentOption
  | MarkLineComponentOption
  | LegendComponentOption
  | TitleComponentOption
>;

export interface ChartSize {
  width: number;
  height: number;
  /** Whether it is for a phone: then it has fewer labels. */
  narrow: boolean;
}

/** What is drawn already, by picture and size. A report shows some of its pictures on the page and in files of their own. */
export type Drawn = Map<string, string>;

/**
 * Draws a picture, unless it was drawn at this width before.
 *
 * @param of.id unique among the pictures of the report
 */
export function drawOnce(
  { height, option }: Pick<Figure, 'height' | 'option'>,
  of: { id: string; width: number; narrow: boolean },
  drawn: Drawn,
): string {
  const { id, width, narrow } = of;
  const key = `${id}, ${width} px${narrow ? ', narrow' : ''}`;
  const size = { width, height: height(width), narrow };
  const known = drawn.get(key) ?? renderChart(option(size), size);
  drawn.set(key, known);
  return known;
}

/** Draws a chart as an SVG element that is part of a page. Its colours are CSS variables of the page. */
export function renderChart(option: ChartOption, { width, height }: ChartSize): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: 'transparent',
      textStyle: { fontFamily: 'inherit', fontSize: 12 },
      ...option,
    });
    return forInlineUse(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/**
 * Removes what is not needed inside a page: namespaces (HTML knows them), hover styles (nothing reacts), and a fixed
 * size. Removes clip paths, too: the axes hold all data, and the ids of clip paths are numbered through the process, so
 * that the same result would not make the same page. Rounds coordinates to a tenth of a pixel, except those of arcs: a
 * circle ends a hair before it begins, and would vanish.
 */
function forInlineUse(svg: string): string {
  return svg
    .replace(/<(style|defs)\s*>[\s\S]*?<\/\1>/g, '')
    .replace(/ (xmlns(:\w+)?|version|baseProfile|ecmeta_\w+|class|pointer-events|clip-path)="[^"]*"/g, '')
    .replace(/<svg width="[^"]*" height="[^"]*"/, '<svg aria-hidden="true" focusable="false"')
    .replace(/ d="[^"]*"/g, (path) => (path.includes('A') ? path : path.replace(/\.(\d)\d+/g, '.$1')))
    .replace(/\n\s*/g, '');
}
