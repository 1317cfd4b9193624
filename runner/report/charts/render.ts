import { LineChart, type LineSeriesOption, ScatterChart, type ScatterSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  MarkAreaComponent,
  type MarkAreaComponentOption,
  MarkLineComponent,
  type MarkLineComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';

use([LineChart, ScatterChart, GridComponent, MarkAreaComponent, MarkLineComponent, LabelLayout, SVGRenderer]);

export type ChartOption = ComposeOption<
  LineSeriesOption | ScatterSeriesOption | GridComponentOption | MarkAreaComponentOption | MarkLineComponentOption
>;

export interface ChartSize {
  width: number;
  height: number;
  /** For a phone: fewer labels. */
  narrow: boolean;
}

/** Draws a chart as an SVG element to stand inside a page; its colours are the page's CSS variables. */
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
 * Without namespaces (HTML knows them), hover styles (nothing reacts), a fixed size, and clip paths (the axes hold all data;
 * their ids are numbered through the process, so the same result would not give the same page). Coordinates are kept to a
 * tenth of a pixel.
 */
function forInlineUse(svg: string): string {
  return svg
    .replace(/<(style|defs)\s*>[\s\S]*?<\/\1>/g, '')
    .replace(/ (xmlns(:\w+)?|version|baseProfile|ecmeta_\w+|class|pointer-events|clip-path)="[^"]*"/g, '')
    .replace(/<svg width="[^"]*" height="[^"]*"/, '<svg aria-hidden="true" focusable="false"')
    .replace(/ d="[^"]*"/g, (path) => path.replace(/\.(\d)\d+/g, '.$1'))
    .replace(/\n\s*/g, '');
}
