import type { Comparison } from '../../contract/comparison.ts';
import { inScale, inUnit } from '../../contract/format.ts';
import { conditionsWords, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { changeWords, intervalWords, pairsIn } from '../answer/answers.ts';
import { nameOf, ranked } from '../answer/headline.ts';
import { judgedIn } from './end-answer.ts';
import { cutTo } from '../media/wrap.ts';
import { metricWords, scaleOfCompared } from '../metric-words.ts';
import type { Reported } from '../reported.ts';
import { betterIn, chanceEach, worseIn } from '../sections/worse.ts';

/**
 * A row for each variant or level, if a run compared several: the value, the change, its range, and its verdict. Empty if
 * it compared two variants once.
 *
 * @param max lines; if there are more rows, the last line counts them
 */
export function comparedRows(of: Reported, columns: number, max: number): string[] {
  const { judged, controls } = judgedIn(of);
  const compared = [...judged, ...controls].map((one) => one.of);
  const [first] = compared;
  if (!first || compared.length < 2 || max < minRows) return [];
  const levels = new Set(compared.map(({ conditions }) => levelWords(conditions)));
  const names = new Set(compared.map(({ candidate }) => candidate.variant));
  const scale = scaleOfCompared(compared, metricWords(first).kind);
  const nameIn = ({ candidate, conditions }: Comparison): string =>
    names.size === 1
      ? levelWords(conditions)
      : levels.size === 1
        ? candidate.variant
        : conditionsWords({ ...conditions, variant: candidate.variant });
  const isControl = ({ candidate }: Comparison): boolean =>
    controlsOf(of.result.experiment.definition).includes(candidate.variant);
  const rowOf = (one: Comparison): string[] => [
    nameIn(one),
    ...(levels.size > 1 ? [inScale(one.baseline.value, scale)] : []),
    inScale(one.candidate.value, scale),
    changeWords(one, one.change),
    one.interval ? `(${intervalWords(one)})` : '',
    isControl(one) ? 'control' : verdictWord(one),
  ];
  const baseline = [first.baseline.variant, inScale(first.baseline.value, scale), '', '', 'baseline'];
  const sorted = levels.size === 1 ? ranked(compared) : compared;
  const place = sorted.findIndex(
    ({ change, better }) => change !== null && (better === 'higher' ? change < 0 : change > 0),
  );
  const rows = sorted.map(rowOf);
  if (levels.size === 1) rows.splice(place === -1 ? rows.length : place, 0, baseline);
  const { label } = metricWords(first);
  const sides = names.size === 1 ? [first.baseline.variant, first.candidate.variant] : ['before', 'after'];
  const headsOf = (letters: number): string[] =>
    levels.size > 1
      ? [label, ...sides.map((side) => cutTo(side, letters)), 'change', '', '']
      : ['', label, 'change', '', ''];
  const widths = lettersOfHeads.map(headsOf);
  const heads = widths.find((one) => widthOf([one, ...rows]) <= columns) ?? widths.at(-1) ?? [];
  const shown = rows.length + 1 <= max ? rows : rows.slice(0, max - 2);
  const left = rows.length - shown.length;
  return [...aligned([heads, ...shown], columns), ...(left > 0 ? [`  … and ${left} more in the report`] : [])];
}

/** Letters of a name above its values: as many as fit. */
const lettersOfHeads = [16, 12, 9];

/** With fewer lines, a table says less than its count. */
const minRows = 4;

const verdictWords = { equivalent: 'no change', inconclusive: 'undecided', descriptive: 'no verdict' } as const;

/** Such as `faster`, `undecided` or `no verdict`. */
function verdictWord({ verdict, change, metric }: Comparison): string {
  if (verdict === null || change === null) return 'no verdict';
  if (verdict !== 'better' && verdict !== 'worse') return verdictWords[verdict];
  const { changePhrase } = metricNamed(metric) ?? {};
  return changePhrase === undefined ? verdict : change > 0 ? changePhrase.more : changePhrase.less;
}

/** A row for each metric that users notice and that changed for the better or the worse, beside the one that decides. */
export function otherRows(of: Reported, side: 'better' | 'worse', columns: number): string[] {
  const { judged } = judgedIn(of);
  const { comparisons } = of.result;
  const chance = chanceEach(comparisons);
  const find = side === 'better' ? betterIn : worseIn;
  if (side === 'better' && judged.length > 1) return [];
  const found = judged.flatMap(({ of: primary }) => {
    if (primary.verdict === null || primary.verdict === 'descriptive') return [];
    const own = pairsIn(comparisons).find((pair) => pair.includes(primary)) ?? [];
    const all = find(own, chance);
    const sorted = side === 'worse' ? all : all.toSorted((a, b) => sizeOf(b) - sizeOf(a));
    return sorted
      .filter((one) => !one.primary && (side === 'worse' || kindOf(one) !== kindOf(primary)))
      .map((one) => ({ one, who: judged.length > 1 ? `${nameOf({ of: primary })}: ` : '' }));
  });
  const rows = found.map(({ one, who }, index) => {
    const words = metricWords(one);
    const scale = scaleOfCompared([one], words.kind);
    const values = `${inScale(one.baseline.value, scale)} → ${inUnit(one.candidate.value, scale)}${words.per}`;
    const range = one.interval
      ? `(${changesOf(one.metric, one.change).range(one.interval.low, one.interval.high)})`
      : '';
    return [index === 0 ? side : '', `${who}${words.label}`, values, changeWords(one, one.change), range];
  });
  return aligned(rows, columns, { first: 9, left: 2 });
}

/** What says the same as the metric that decides. */
const kindOf = ({ metric }: Comparison): string | undefined => metricNamed(metric)?.kind;
const sizeOf = ({ change }: Comparison): number => Math.abs(change ?? 0);

const gap = 2;

function widthsOf(rows: readonly string[][]): number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}

/** With the gap before each column. */
function widthOf(rows: readonly string[][]): number {
  return widthsOf(rows).reduce((sum, width) => sum + gap + width, 0);
}

/**
 * Rows in columns, two spaces apart. If they are too wide, the first text gives way: names may be long.
 *
 * @param options.left columns that begin at their left, besides the last
 */
function aligned(
  rows: readonly string[][],
  columns: number,
  { first = 0, left = 1 }: { first?: number; left?: number } = {},
): string[] {
  const widths = widthsOf(rows);
  const count = widths.length;
  if (first > 0) widths[0] = first - gap;
  const named = left - 1;
  const total = widths.reduce((sum, width) => sum + width + gap, 0);
  const own = widths[named] ?? 0;
  widths[named] = Math.min(own, Math.max(12, own - Math.max(0, total - columns)));
  return rows.map((row) =>
    cutTo(
      `  ${row
        .map((text, column) => {
          const width = widths[column] ?? 0;
          const fitting = column === named ? cutTo(text, width) : text;
          return column < left || column >= count - 2 ? fitting.padEnd(width) : fitting.padStart(width);
        })
        .join('  ')}`.trimEnd(),
      columns,
    ),
  );
}
