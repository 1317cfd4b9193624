import { beforeAll, describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { renderComparisons } from '../../runner/report/terminal/terminal.ts';
import { renderTable } from '../../runner/report/media/terminal-table.ts';
import { publishedStudy } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { changeWords } from '../../runner/report/answer/answers.ts';
import { left, right, type Table } from '../../runner/report/media/table.ts';

const options = { columns: 80, colour: false };

let study: readonly Comparison[];
beforeAll(async () => {
  study = (await publishedStudy()).result.comparisons;
});

function widest(text: string): number {
  return Math.max(...text.split('\n').map(({ length }) => length));
}

describe('renderComparisons', () => {
  it('shows the published study as it was published, in its order', () => {
    const lines = renderComparisons(study, { ...options, columns: 100 }).split('\n');
    const rows = lines.slice(lines.findIndex((line) => line.startsWith('─')) + 1, lines.indexOf(''));
    expect(rows.map((line) => line.split(/\s{2,}/).slice(0, 5))).toEqual([
      ['runtime (min)', '77.0', '40.0', '−48.1%', '–'],
      ['TPS', '6,984', '13,397', '+91.8%', '+91.8%'],
      ['TPS, mean of all trials', '6,984', '13,397', '–', '–'],
      ['latency average (ms)', '8.80', '4.50', '−48.9%', '–'],
      ['WAL write time (s)', '56.7', '51.9', '−8.4%', '–'],
      ['WAL sync time (min)', '73.9', '36.4', '−50.7%', '–'],
    ]);
  });

  it.each([60, 70, 80, 100])(
    'sheds columns rather than be wider than %d columns, but never interval and verdict',
    async (columns) => {
      const { comparisons } = await sampleResult({ variants: { 'without-log-volume': 1, 'with-log-volume': 1.3 } });
      const text = renderComparisons(comparisons, { columns, colour: false });
      expect(widest(text)).toBeLessThanOrEqual(columns);
      expect(text).toMatch(/^TPS .* \d+% to \d+% +better$/m);
      expect(widest(renderComparisons(study, { columns, colour: false }))).toBeLessThanOrEqual(columns);
    },
  );

  it('shows a change of shares in points, any other in percent', () => {
    expect(changeWords({ metric: 'driver.busy' }, -0.2272)).toBe('−22.7 points');
    expect(changeWords({ metric: 'tps' }, -0.2272)).toBe('−22.7%');
  });

  it('shows metrics of later versions under their own names', () => {
    const [first] = study;
    if (!first) throw new Error('the study has comparisons');
    expect(renderComparisons([{ ...first, metric: 'joules', unit: 'J' }], options)).toContain('joules (J)');
  });
});

describe('renderTable', () => {
  it('draws a table of thousands of rows as it draws a short one', () => {
    const rows = (count: number) =>
      Array.from({ length: count }, () => ({ cells: ['a long text of words', '1', 'é'] }));
    const of = (count: number): string[] =>
      renderTable(
        { title: '', columns: [left('x'), right('y'), left('z')], rows: rows(count), notes: [] },
        options,
      ).split('\n');
    const [head, line, row] = of(1);
    expect(of(1201)).toEqual([head, line, ...Array.from({ length: 1201 }, () => row)]);
  });

  const table: Table = {
    title: 'not shown',
    columns: [left('what was found'), right('of with-log-volume', 1), right('value')],
    rows: [
      { cells: ['a text of many words that may be broken at its spaces', '12,345 of 67,890', '1'] },
      { cells: ['  one that is set in and just as long as the other', '2', '3,000,000'] },
    ],
    notes: [],
  };

  it('is ruled by one line below its head and by spaces', () => {
    const lines = renderTable(table, { columns: 120, colour: false }).split('\n');
    expect(lines.map((line) => line.replace(/ {2,}/g, '|').replace(/─+/, '─'))).toEqual([
      'what was found|of with-log-|value',
      '|volume',
      '─',
      'a text of many words that may be broken at its spaces|12,345 of 67,890|1',
      '|one that is set in and just as long as the other|2|3,000,000',
    ]);
  });

  it('breaks texts at spaces, sets in what follows, and never breaks a number', () => {
    expect(renderTable(table, { columns: 50, colour: false })).toMatchInlineSnapshot(`
      "what was found            of with-log-      value
                                      volume
      ─────────────────────────────────────────────────
      a text of many words  12,345 of 67,890          1
       that may be broken
       at its spaces
        one that is set in                 2  3,000,000
         and just as long
         as the other"
    `);
  });

  it('sheds the columns with the lowest number where texts would get too narrow', () => {
    expect(renderTable(table, { columns: 40, colour: false })).toMatchInlineSnapshot(`
      "what was found                     value
      ────────────────────────────────────────
      a text of many words that may          1
       be broken at its spaces
        one that is set in and just  3,000,000
         as long as the other"
    `);
  });

  it('breaks the names of variants in its head at their hyphens', () => {
    const heads = { ...table, columns: [left('metric'), right('without-log-volume'), right('with-log-volume')] };
    expect(renderTable(heads, { columns: 60, colour: false })).toMatchInlineSnapshot(`
      "metric                             without-log-  with-log-
                                               volume     volume
      ──────────────────────────────────────────────────────────
      a text of many words that may  12,345 of 67,890          1
       be broken at its spaces
        one that is set in and just                 2  3,000,000
         as long as the other"
    `);
  });
});
