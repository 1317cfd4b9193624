import { describe, expect, it } from 'vitest';
import { renderTable } from '../../runner/report/media/terminal-table.ts';
import { hanging, noBreakSpace, wrap, wrapLines } from '../../runner/report/media/wrap.ts';
import { brokenWords, squeezed } from '../helpers/shown/shown-words.ts';
import { left, right } from '../../runner/report/media/table.ts';

describe('wrap', () => {
  it('breaks at spaces alone, and gives a longer word a line to itself', () => {
    expect(wrap('a few words and one-that-is-too-long-for-it here', 12)).toEqual([
      ...['a few words', 'and', 'one-that-is-too-long-for-it', 'here'],
    ]);
  });

  it('ends no line at a no-break space', () => {
    expect(wrap(`changes by +31.0${noBreakSpace}s here`, 17)).toEqual(['changes by', '+31.0 s here']);
  });
});

describe('hanging', () => {
  it('sets later lines in as far as the mark is wide', () => {
    expect(hanging('warning: ', 'the disk is slow and full', 34)).toEqual(['warning: the disk is slow and full']);
    expect(hanging('warning: ', 'the disk of this machine is slow and full', 34)).toEqual([
      ...['warning: the disk of this machine', '         is slow and full'],
    ]);
  });

  it('goes on below a mark beside which there would be a column of words', () => {
    const mark = '  Changes by block of with-a-dedicated-log-volume: ';
    const lines = hanging(mark, 'one +31.0%, two +28.4%, three +30.2%, four +29.9%', 60);
    expect(lines).toEqual([
      '  Changes by block of with-a-dedicated-log-volume: one',
      '      +31.0%, two +28.4%, three +30.2%, four +29.9%',
    ]);
  });

  it('is the mark alone where there is no text', () => {
    expect(hanging('question  ', '', 60)).toEqual(['question']);
  });
});

describe('wrapLines', () => {
  it('keeps lines that fit, and the margin of those that do not', () => {
    expect(wrapLines('one\n  two words that are more\nthree', 14)).toBe('one\n  two words\n  that are\n  more\nthree');
  });
});

describe('a name that is too long for any column', () => {
  it('is broken after its hyphens rather than widen the table', () => {
    const [long, other] = ['with-a-dedicated-log-volume-of-3000-iops', 'without-any-log-volume-of-its-own-at-all'];
    const columns = [left('variant'), left('another'), right('value')];
    const text = renderTable(
      { title: '', columns, rows: [{ cells: [long, `${long}, ${other}`, '1,234'] }], notes: [] },
      { columns: 60, colour: false },
    );
    expect(text).toMatchInlineSnapshot(`
      "variant                another                   value
      ──────────────────────────────────────────────────────
      with-a-dedicated-log-  with-a-dedicated-log-     1,234
       volume-of-3000-iops    volume-of-3000-iops,
                              without-any-log-volume-
                              of-its-own-at-all"
    `);
  });
});

describe('what tests of widths look at', () => {
  it('finds a broken word, and none in a head that was broken after a hyphen', () => {
    const wide = ['with-log-volume  found', '──────────────────────', 'a word  here'];
    expect(brokenWords(['with-log-', 'volume  found', '───────', 'a word', 'here'], wide)).toEqual([]);
    expect(brokenWords(['with-l', 'og-volume', '───────', 'a wo', 'rd'], wide)).toEqual([
      ...['with-l', 'og-volume', 'wo', 'rd'],
    ]);
    expect(brokenWords(['with-log-', 'volume'], wide)).toEqual(['with-log-', 'volume']);
  });

  it('finds a column of single words', () => {
    expect(squeezed(['a text', ...['of', 'one', 'word', 'a', 'line']])).toHaveLength(1);
    expect(squeezed(['a text', ...['of', 'one', 'word', 'a'], 'line or two'])).toEqual([]);
  });
});
