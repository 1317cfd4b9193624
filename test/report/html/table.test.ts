import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberIn, tableMarkup } from '../../../runner/report/html/table.ts';
import { html } from '../../../runner/report/media/markup.ts';
import { left, right, type Table } from '../../../runner/report/media/table.ts';

const table: Table = {
  title: 'Sizes',
  columns: [left(''), left('name'), right('size (MiB)'), right('took')],
  rows: [
    { cells: ['a', 'one', '1,064', '2 min'], group: 'WAL', differs: true, more: { 3: { value: 120 } } },
    { cells: ['b', 'two', '−3.5', '–'], group: 'Driver', differs: false },
    { cells: ['c', 'SELECT a…', '', '7 s'], group: 'WAL', more: { 1: { whole: 'SELECT a < b' }, 0: { trial: 't/1' } } },
  ],
  onlyDiffering: 'Only differences',
  notes: [],
};

describe('a table of the page', () => {
  const { text } = tableMarkup(table, { id: 'sizes', linked: (words) => html`${words}` });

  it('has no head without words', () => {
    expect(text.match(/<th[ >][^]*?<\/th>/g)?.filter((head) => /^<th[^>]*>\s*<\/th>$/.test(head))).toEqual([]);
    expect(text).toContain('<td></td><th scope="col" class="left">name</th>');
  });

  it('names the column in every cell, and has the value of a number', () => {
    expect(text).toContain('<td class="right" data-label="size (MiB)" data-value="1064">1,064</td>');
    expect(text).toContain('<td class="right" data-label="size (MiB)" data-value="-3.5">−3.5</td>');
    expect(text).toContain('<td class="right" data-label="took" data-value="120">2\u00a0min</td>');
    expect(text).toContain('<td class="right" data-label="took">–</td>');
  });

  it('has each group once, with its name above all of its rows', () => {
    const bodies = text.split('<tbody>').slice(1);
    expect(bodies.map((body) => />([A-Za-z]+)<\/th>/.exec(body)?.[1])).toEqual(['WAL', 'Driver']);
    expect(bodies.map((body) => body.split('scope="row"').length - 1)).toEqual([2, 1]);
  });

  it('says of rows whether they differ, if it is known', () => {
    expect(text.match(/data-differs="\w+"/g)).toEqual(['data-differs="true"', 'data-differs="false"']);
    expect(text).toContain('data-only="Only differences"');
  });

  it('shows the beginning of a long text, and the whole on demand', () => {
    expect(text).toMatch(/<details>\s*<summary>SELECT a…<\/summary>\s*<p>SELECT a &lt; b<\/p>\s*<\/details>/);
  });

  it('links the raw files of a trial, whatever its id is', () => {
    expect(text).toContain('<a href="trials/t%2F1/" title="raw files of t/1">c</a>');
  });
});

describe('the value of a printed number', () => {
  it('is the number, whatever its sign, separators and unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.constantFrom('', ' %', ' points', ' to 7'), (whole, unit) => {
        const value = whole / 100;
        const printed = value.toLocaleString('en-US', { minimumFractionDigits: 2, signDisplay: 'exceptZero' });
        expect(numberIn(`${printed.replace('-', '−')}${unit}`)).toBe(value);
      }),
    );
  });

  it.each(['', '–', 'none', 'block 3'])('is not known of %o', (text) => expect(numberIn(text)).toBeNull());
});
