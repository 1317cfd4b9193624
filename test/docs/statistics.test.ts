import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { statisticsTables } from '../../bench/statistics.ts';

const read = (name: string): string => readFileSync(path.resolve(import.meta.dirname, '../../docs', name), 'utf8');

function between(mark: string, text: string): string {
  return text.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0] ?? '';
}

/** Of each table its title, its head, and how each row begins. */
function outlineOf(markdown: string): string[] {
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('**')) return [line];
    const [, first = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return line.startsWith('|') && !/^:?-+:?$/.test(first) ? [first] : [];
  });
}

// A quarter of a minute of work, and many times that where others work, too.
const patience = 300_000;

it(
  'docs/reference/simulations.md has every simulated table, with all of its rows (npm run bench -- statistics)',
  () => {
    // The figures need many more.
    const tables = statisticsTables({ many: 2, enough: 2, few: 2 });
    const made = tables.flatMap(({ title, head, rows }) => [title, head[0], ...rows.map(([first]) => first)]);
    expect(outlineOf(between('bench:statistics', read('reference/simulations.md')))).toEqual(made);
  },
  patience,
);

it('docs/statistics.md has no table of rates: a bench makes those', () => {
  // A rate that is simulated stands with its uncertainty.
  expect(
    read('statistics.md')
      .split('\n')
      .filter((line) => /^\|.*\d % \(\d/.test(line)),
  ).toEqual([]);
});
