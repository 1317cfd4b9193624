import { describe, expect, it } from 'vitest';
import { differenceBetween, type QueriedTable } from '../../scripts/docs-queries/expected-tables.ts';
import { snippetsIn } from '../../scripts/docs-queries/snippets.ts';

describe('queries of the documentation', () => {
  it('are its Python, and its SQL that reads files, with their lines', () => {
    const text = [
      'Words.\n',
      '```python\nprint(1)\n```\n',
      '```sql\nVACUUM orders;\n```\n',
      "```sql\nFROM read_parquet('a.parquet')\n```\n",
    ].join('\n');
    expect(snippetsIn('docs/a.md', text)).toEqual([
      { language: 'python', code: 'print(1)\n', place: 'docs/a.md:3' },
      { language: 'sql', code: "FROM read_parquet('a.parquet')\n", place: 'docs/a.md:11' },
    ]);
  });
});

describe('a table that a query shows', () => {
  const expected = tableOf(['one', 1, 20], ['one', 2, 0], ['two', 1, 30]);

  it('is as expected in any order, also without zeros', () => {
    expect(differenceBetween(tableOf(['two', 1, 30], ['one', 1, 20]), expected)).toBeNull();
    expect(differenceBetween(expected, tableOf(['two', 1, 30], ['one', 1, 20]))).toBeNull();
  });

  it.each([
    [
      'another value',
      [
        ['one', 1, 21],
        ['two', 1, 30],
      ],
      'one, 1 is 21, but 20 in the report',
    ],
    ['a row too few', [['one', 1, 20]], 'two, 1 is undefined, but 30 in the report'],
    [
      'a variant of its own for a trial that was repeated',
      [
        ['one', 1, 20],
        ['two', 1, 30],
        ['two-repeat-2', 1, 30],
      ],
      'two-repeat-2, 1 is 30, but undefined in the report',
    ],
    [
      'a row twice',
      [
        ['one', 1, 20],
        ['one', 1, 20],
        ['two', 1, 30],
      ],
      'one, 1 appears twice',
    ],
    [
      'no number',
      [
        ['one', 1, null],
        ['two', 1, NaN],
      ],
      'one, 1 is 0, but 20 in the report',
    ],
  ] as const)('is not as expected with %s', (_, rows, difference) => {
    expect(differenceBetween(tableOf(...rows), expected)).toBe(difference);
  });
});

function tableOf(...rows: QueriedTable['rows']): QueriedTable {
  return { columns: ['variant', 'second', 'sessions'], rows };
}
