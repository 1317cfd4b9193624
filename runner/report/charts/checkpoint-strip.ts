import type { LineSeriesOption } from 'echarts/charts';
import type { Trial } from '../../contract/trial.ts';
import { type ChartSubject, quietAxis, variantLook } from './subject.ts';

/** When checkpoints were under way: a strip below a chart over time, with a row for each trial that counts. */
export interface CheckpointStrip {
  /** Pixels that it needs below the chart's own axis. */
  height: number;
  /** Sentence for the caption. */
  words: string;
  yAxis: object;
  series: LineSeriesOption[];
}

/** Rows are so thin that those of a long run still fit. */
const [rowPixels, mostPixels] = [5, 90];

/** @returns null if no server reported a checkpoint */
export function checkpointStrip({ variants, trials, counts }: ChartSubject, longest: number): CheckpointStrip | null {
  const rows = variants.flatMap(({ name }, index) =>
    trials
      .filter((trial) => trial.conditions.variant === name && counts(trial) && trial.facts.checkpoints !== undefined)
      .map((trial) => ({ index, spans: spansOf(trial, longest) })),
  );
  if (rows.every(({ spans }) => spans.length === 0)) return null;
  const height = Math.min(mostPixels, rows.length * rowPixels);
  return {
    height,
    words: ' The bars below the axis are checkpoints under way, a row for each trial.',
    yAxis: {
      ...quietAxis,
      type: 'value',
      gridIndex: 1,
      min: 0,
      max: rows.length,
      inverse: true,
      splitLine: { show: false },
      axisLine: { show: false },
      axisLabel: { show: false },
    },
    series: rows.map(({ index, spans }, row) => ({
      type: 'line',
      xAxisIndex: 1,
      yAxisIndex: 1,
      silent: true,
      showSymbol: false,
      connectNulls: false,
      lineStyle: { color: variantLook(index).colour, width: Math.max(1, (height / rows.length) * 0.7), cap: 'butt' },
      data: spans.flatMap(([start, end]) => [
        [start, row + 0.5],
        [end, row + 0.5],
        [end, '-'],
      ]),
    })),
  };
}

/** Start and end of each checkpoint, in seconds since the trial began, as in its series; only what lies within the chart. */
function spansOf({ facts }: Trial, longest: number): [start: number, end: number][] {
  return (facts.checkpoints ?? [])
    .filter(({ restartpoint }) => !restartpoint)
    .map((one): [number, number] => [Math.max(0, one.startedAt), Math.min(longest, one.endedAt ?? longest)])
    .filter(([start, end]) => end > start);
}
