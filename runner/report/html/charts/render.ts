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
 * Without namespaces (HTML knows them), hover styles (nothing reacts) and a fixed size; numbers no longer than they need be:
 * a tenth of a pixel is not seen.
 */
function forInlineUse(svg: string): string {
  return svg
    .replace(/<style\s*>[\s\S]*?<\/style>/g, '')
    .replace(/ (xmlns(:\w+)?|version|baseProfile|ecmeta_\w+|class|pointer-events)="[^"]*"/g, '')
    .replace(/<svg width="[^"]*" height="[^"]*"/, '<svg aria-hidden="true" focusable="false"')
    .replace(/ d="[^"]*"/g, (path) => path.replace(/\.(\d)\d+/g, '.$1'))
    .replace(/\n\s*/g, '');
}
