import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asCsv, asMarkdown } from '../../../runner/report/html/in-browser/copied-text.ts';

const columns = [
  { label: 'metric', align: 'left' as const },
  { label: 'a', align: 'right' as const },
];

describe('a table that is copied', () => {
  it('is a table of Markdown, in which no text is markup', () => {
    expect(asMarkdown({ columns, rows: [['a|b *c*\n<d>', '1,064']] })).toBe(
      '| metric | a |\n| :-- | --: |\n| a\\|b \\*c\\* \\<d\\> | 1,064 |\n',
    );
  });

  it('is CSV with plain numbers', () => {
    expect(
      asCsv({
        columns,
        rows: [
          ['TPS', '1,064'],
          ['say "x", y', '−73.6%'],
          ['–', '+104.3%'],
        ],
      }),
    ).toBe('metric,a\r\nTPS,1064\r\n"say ""x"", y",-73.6%\r\n–,104.3%\r\n');
  });

  it('is CSV that can be read back, and in which a spreadsheet runs nothing', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('=1+1', '+cmd', '-2+3', '@x', '\t=1', '-5', '"', ',', 'a\r\nb'));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
        const [, ...read] = cellsOfCsv(asCsv({ columns, rows }));
        expect(read).toHaveLength(rows.length);
        for (const [index, cells] of read.entries()) {
          expect(cells).toHaveLength(2);
          for (const [place, text] of cells.entries()) {
            const isNumber = /^-?[\d.]+( %)?$/.test(text);
            if (!isNumber) expect(text).not.toMatch(/^[=+\-@\t\r]/);
            if (!isNumber) expect([rows[index]?.[place], `'${rows[index]?.[place] ?? ''}`]).toContain(text);
          }
        }
      }),
    );
  });
});

/** RFC 4180. */
function cellsOfCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
