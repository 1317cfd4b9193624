import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Result } from '../../../runner/contract/result.ts';
import { metricNamed } from '../../../runner/metrics/catalogue.ts';
import type { Shown, ShownTable } from './shown.ts';

/** One number of the page beside the one of result.json that it stands for. */
interface Pair {
  where: string;
  printed: string;
  expected: number | null | undefined;
  /** Base units in one printed unit. */
  unit: number;
}

const units: Record<string, number> = {
  ...{ s: 1, ms: 1e-3, µs: 1e-6, min: 60, '%': 0.01 },
  ...{ B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 },
};

/**
 * Reads the figures of a page without the code that printed them, and compares each with result.json to its last printed
 * digit.
 *
 * @returns how many were compared, and those that differ
 */
export function readFigures(result: Result, shown: Shown): { read: number; wrong: string[] } {
  const primary = result.comparisons.filter((one) => one.primary);
  const pairs = [
    ...shown.tables.flatMap((table) => [
      ...comparisonPairs(table, result),
      ...blockPairs(table, primary),
      ...variantPairs(table, primary),
      ...pricePairs(table, result),
    ]),
    ...shown.pictures.flatMap((text) => picturePairs(text, primary)),
    ...headlinePairs(shown.headline, primary),
  ];
  return { read: pairs.length, wrong: pairs.filter((pair) => !stands(pair)).map(wordsOf) };
}

/** Tables with a row for each metric, and a column for each side. */
function comparisonPairs({ title, place, columns, rows }: ShownTable, { comparisons }: Result): Pair[] {
  return rows.flatMap((cells): Pair[] => {
    const [label = ''] = cells;
    const found = comparisons.find((one) => {
      const plain = label.replace(/ \([^()]*\)$/, '').replace(/\/transaction$/, '');
      return title === titleOf(one) && plain === metricNamed(one.metric)?.label;
    });
    if (!found) return [];
    const inBrackets = /\(([^()/]*)(\/transaction)?\)$/.exec(label)?.[1] ?? '';
    const unit = units[inBrackets] ?? 1;
    const at = (name: RegExp | string): string => cellAt(columns, cells, name);
    const where = `${title || place}, ${label}`;
    return [
      { where, printed: at(found.baseline.variant), expected: found.baseline.value, unit },
      { where, printed: at(found.candidate.variant), expected: found.candidate.value, unit },
      ...changePairs(where, at('change'), at(/interval$/), found),
    ];
  });
}

function titleOf({ candidate, baseline, conditions }: Comparison): string {
  return `${candidate.variant} vs ${baseline.variant}${levelOf(conditions)}`;
}

function levelOf({ clients }: Comparison['conditions']): string {
  return clients === undefined ? '' : ` at ${clients} ${clients === 1 ? 'client' : 'clients'}`;
}

function changePairs(
  where: string,
  change: string,
  interval: string,
  { change: ratio, interval: known }: Comparison,
): Pair[] {
  const [low = '–', high = low] = interval.replace(/ points?$/, '').split(' to ');
  return [
    { where: `${where}, change`, printed: change, expected: ratio, unit: 0.01 },
    { where: `${where}, low end`, printed: low, expected: known?.low, unit: 0.01 },
    { where: `${where}, high end`, printed: high, expected: known?.high, unit: 0.01 },
  ];
}

/** A row for each pair that the estimate used. */
function blockPairs({ title, rows }: ShownTable, primary: readonly Comparison[]): Pair[] {
  const found = primary.find((one) => title === `Blocks compared: ${titleOf(one)}`);
  return rows.flatMap(([name = '', baseline = '', candidate = '', change = ''], index) => {
    const pair = found?.pairs[index];
    if (!pair) return [];
    const where = `${title}, ${name}`;
    return [
      { where, printed: name, expected: pair.block, unit: 1 },
      { where, printed: baseline, expected: pair.baseline, unit: 1 },
      { where, printed: candidate, expected: pair.candidate, unit: 1 },
      { where, printed: change, expected: pair.change, unit: 0.01 },
    ];
  });
}

/** A row for each variant at each level. */
function variantPairs({ place, columns, rows }: ShownTable, primary: readonly Comparison[]): Pair[] {
  if (place !== 'variants') return [];
  return rows.flatMap((cells): Pair[] => {
    const [name = ''] = cells;
    const found = primary.find(({ candidate, conditions }) => name === `${candidate.variant}${levelOf(conditions)}`);
    if (!found) return [];
    const label = metricNamed(found.metric)?.label ?? '';
    return [
      { where: name, printed: cellAt(columns, cells, label), expected: found.candidate.value, unit: 1 },
      ...changePairs(name, cellAt(columns, cells, 'change'), cellAt(columns, cells, /interval$/), found),
    ];
  });
}

function pricePairs({ place, columns, rows }: ShownTable, { variants }: Result): Pair[] {
  if (place !== 'costs') return [];
  return variants.flatMap(({ name, cost }) =>
    rows
      .filter(([label]) => label === name)
      .map((cells) => ({
        where: `price of ${name}`,
        printed: cellAt(columns, cells, '$ per month'),
        expected: cost?.dollarsPerMonth?.low,
        unit: 1,
      })),
  );
}

/** The texts of the pictures that show the change, and each block. */
function picturePairs(text: string, primary: readonly Comparison[]): Pair[] {
  if (text.startsWith('Change in ')) {
    return primary.flatMap((one) => {
      const start = text.indexOf(`. ${one.candidate.variant}${levelOf(one.conditions)}: `);
      const [, change = '', interval = '', blocks = ''] =
        /: ([^,]*), (?:no interval|interval ([^;]*)); by block ((?:[^.]|\.\d)*)\./.exec(text.slice(start)) ?? [];
      const where = `picture of the change, ${one.candidate.variant}`;
      return [
        ...changePairs(where, change, interval || '–', one),
        ...one.pairs.map((pair, index) => ({
          where,
          printed: blocks.split(', ')[index]?.replace(/^.* (?=\S+%)/, '') ?? '',
          expected: pair.change,
          unit: 0.01,
        })),
      ];
    });
  }
  if (!text.includes(' block by block')) return [];
  return primary
    .filter(({ conditions }) => text.includes(`block by block${levelOf(conditions)}.`))
    .flatMap(({ pairs, candidate }) => {
      const own = text.split(`. ${candidate.variant}: `)[1] ?? '';
      return pairs.map((pair) => ({
        where: `picture block by block, ${candidate.variant}, block ${pair.block}`,
        printed: new RegExp(`block ${pair.block} ([\\d,.]*\\d)(?![,.]?\\d| \\(excluded)`).exec(own)?.[1] ?? '',
        expected: pair.candidate,
        unit: 1,
      }));
    });
}

/** Only a single answer names its change in the headline. */
function headlinePairs(headline: string, primary: readonly Comparison[]): Pair[] {
  const [only, ...others] = primary;
  const printed = / is ([\d.]+)% (faster|slower)/.exec(headline)?.[1];
  if (!only || others.length > 0 || printed === undefined) return [];
  return [{ where: 'headline', printed, expected: Math.abs(only.change ?? NaN), unit: 0.01 }];
}

function cellAt(columns: readonly string[], cells: readonly string[], name: RegExp | string): string {
  const index = columns.findIndex((column) => (typeof name === 'string' ? column === name : name.test(column)));
  return cells[index] ?? '';
}

function stands({ printed, expected, unit }: Pair): boolean {
  if (printed === '–' || printed === '') return (expected ?? null) === null && printed === '–';
  const [, digits = ''] = /^([+−]?\$?\d[\d,]*(?:\.\d+)?)(?:%| points?)?$/.exec(printed.replace(/ \(.*\)$/, '')) ?? [];
  const plain = digits.replace(/[+,$]/g, '').replace('−', '-');
  if (plain === '' || expected === null || expected === undefined) return false;
  const half = 0.5 / 10 ** (plain.split('.')[1]?.length ?? 0);
  return Math.abs(Number(plain) - expected / unit) <= half + 1e-9 * Math.abs(expected / unit);
}

function wordsOf({ where, printed, expected, unit }: Pair): string {
  return `${where}: printed “${printed}”, result.json has ${expected ?? 'none'} (unit ${unit})`;
}
