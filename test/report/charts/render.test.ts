import { expect, test } from 'vitest';
import { renderChart } from '../../../runner/report/charts/render.ts';
import { hollow } from '../../../runner/report/charts/subject.ts';

test('a hollow circle is drawn: rounding does not let its arc end where it begins', () => {
  const size = { width: 300, height: 200, narrow: false };
  const svg = renderChart(
    {
      xAxis: { type: 'value' },
      yAxis: { type: 'value' },
      series: [{ type: 'scatter', symbol: 'circle', itemStyle: hollow('red'), data: [[1, 1]] }],
    },
    size,
  );
  const arcs = [...svg.matchAll(/M([\d.-]+) ([\d.-]+)A[\d.]+ [\d.]+ 0 1 1 ([\d.-]+) ([\d.-]+)/g)].map(([, ...ends]) =>
    ends.map(Number),
  );
  expect(arcs).toHaveLength(1);
  const [fromX, fromY, toX, toY] = arcs[0] ?? [];
  expect([fromX, fromY]).not.toEqual([toX, (toY ?? 0) + 0]);
});
