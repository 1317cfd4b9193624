import { isFamily, memberName, partOf } from '../../contract/metric-family.ts';
import type { Metric } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue, membersIn } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { median } from '../../statistics/quantiles.ts';
import { labelWithUnit, metricScale } from '../words/metric-words.ts';
import { inScale } from '../words/quantities.ts';
import { cellsOf } from './cells.ts';
import { left, right, type Table } from './table.ts';

/** A table of one kind of thing that has several metrics, such as the volumes of a server. */
export interface MembersTable {
  title: string;
  /** What a member is, such as `volume`. */
  what: string;
  /** What stands for it in the names of its families, such as `<volume>`. */
  placeholder: string;
  /** Ends of the names of those that are shown first, and left out last where there is little room. */
  first?: readonly string[];
  notes: string[];
}

/** Members that every table leaves out, since their largest value is below this part of the largest of all members. */
const leastPart = 0.001;

/**
 * A row for each member on each side, and a column for each metric that any of them has. Values are medians of the trials that
 * count.
 */
export function membersTable(
  result: Result,
  counted: ReadonlySet<string>,
  { title, what, placeholder, first = [], notes }: MembersTable,
): Table {
  const cells = cellsOf(result, counted);
  const place = ({ name }: Metric): number => {
    const found = first.findIndex((end) => name.endsWith(`.${end}`));
    return found === -1 ? first.length : found;
  };
  const families = catalogue
    .filter((metric) => isFamily(metric) && !metric.hidden && metric.name.includes(placeholder))
    .sort((a, b) => place(a) - place(b));
  const trials = cells.flatMap((cell) => cell.trials);
  const parts = [
    ...new Set(
      families.flatMap((family) => membersIn(family, trials).map((member) => partOf(family, member.name) ?? '')),
    ),
  ].sort();
  const columns = families.map((family) => ({
    family,
    values: parts.map((part) =>
      cells.map((cell) => median(cell.trials.flatMap((trial) => valueOf(memberNamed(family, part), trial) ?? []))),
    ),
  }));
  const shown = columns.filter(({ values }) => values.flat().some((value) => value !== null && value !== 0));
  const scales = shown.map(({ family, values }) => metricScale(family.name, family.kind, values.flat()));
  const rows = parts.flatMap((part, row) =>
    cells.flatMap((cell, side) => {
      const own = shown.map(({ values }) => values[row]?.[side] ?? null);
      const matters = shown.some(({ values }) => {
        const largest = Math.max(...values.flat().map((value) => Math.abs(value ?? 0)));
        return values[row]?.some((value) => Math.abs(value ?? 0) >= leastPart * largest && value !== 0);
      });
      if (!matters || own.every((value) => value === null)) return [];
      return [
        {
          cells: [
            part,
            cell.label,
            ...own.map((value, index) => inScale(value, scales[index] ?? { unit: '', divisor: 1, decimals: 0 })),
          ],
        },
      ];
    }),
  );
  return {
    title,
    columns: [
      left(what),
      left('variant'),
      ...shown.map(({ family }, index) => right(labelOf(family, scales[index]), shown.length - index)),
    ],
    rows,
    notes: ['Medians of the trials that count.', ...notes],
  };
}

function memberNamed(family: Metric, part: string): Pick<Metric, 'name' | 'zeroWith'> {
  return { name: memberName(family, part), ...(family.zeroWith === undefined ? {} : { zeroWith: family.zeroWith }) };
}

/** The label without the part that names the member, which has a column of its own. */
function labelOf({ label }: Metric, scale: Parameters<typeof labelWithUnit>[1] | undefined): string {
  const short = label
    .replace(/^<\w+>( volume)?:? ?/, '')
    .replace(/ (by|of|to|in) <\w+>.*$/, '')
    .trim();
  return scale ? labelWithUnit({ label: short, per: '' }, scale) : short;
}
