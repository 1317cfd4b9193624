import { isFamily, memberOf, type MembersTable, type Metric, partOf } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue, membersIn } from '../../metrics/catalogue.ts';
import { valuesOf as told } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import { inScale } from '../../contract/format.ts';
import { labelWithUnit, metricScale } from '../metric-words.ts';
import { evidenceOf, tableOfEvidence } from './evidence.ts';
import { type Cell, cellsOf, left, right, type Table } from '../media/table.ts';
import { inTerminal, onFile, type Section } from './section.ts';

/** Tables leave out members whose largest value is below this part of the largest value of all members. */
const minPart = 0.001;

/**
 * A row for each member on each side, and a column for each metric that any member has. Values are medians of the
 * trials that count.
 */
export function membersTable(result: Result, counted: ReadonlySet<string>, members: MembersTable): Table {
  const cells = cellsOf(result, counted);
  const { parts, columns } = valuesOf(members, cells);
  const scaled = columns.map((column) => ({
    ...column,
    scale: metricScale(column.family.name, column.family.kind, column.values.flat()),
  }));
  return {
    title: members.title,
    columns: [
      left(members.what),
      left('variant'),
      ...scaled.map(({ family: { label, column = label }, scale }, index) =>
        right(labelWithUnit({ label: column, per: '' }, scale), scaled.length - index),
      ),
    ],
    rows: parts.flatMap(({ part, place }) =>
      cells.flatMap(({ label }, side) => {
        const own = scaled.map(({ values, scale }) => ({ value: values[place]?.[side] ?? null, scale }));
        if (own.every(({ value }) => value === null)) return [];
        return [{ cells: [part, label, ...own.map(({ value, scale }) => inScale(value, scale))] }];
      }),
    ),
    notes: ['Medians of valid trials.', ...members.notes],
  };
}

/**
 * The same of two sides: a row for each metric of each member, with the change between them. A terminal has no room for so
 * many rows.
 *
 * @returns null if there are not two sides
 */
export function membersOfPair(result: Result, counted: ReadonlySet<string>, members: MembersTable): Table | null {
  const cells = cellsOf(result, counted);
  if (cells.length !== 2) return null;
  const { parts, columns } = valuesOf(members, cells);
  const [only, ...others] = columns;
  if (only && others.length === 0) {
    // Each has a single row, which bears its name.
    const label = only.family.column ?? only.family.label;
    const own = parts.map(({ part }) => ({ ...memberOf(only.family, part), label: `${part}: ${label}` }));
    const found = evidenceOf(own, cells, result.comparisons);
    return tableOfEvidence([{ group: undefined, found }], cells, { title: members.title, notes: [...members.notes] });
  }
  const groups = parts.map(({ part }) => {
    // The member's own name stands above its rows.
    const metrics = columns.map(({ family }) => ({ ...memberOf(family, part), label: family.column ?? family.label }));
    return { group: part, found: evidenceOf(metrics, cells, result.comparisons) };
  });
  return tableOfEvidence(groups, cells, { title: members.title, notes: [...members.notes] });
}

/** The members that matter, and the medians of each family for each member on each side. */
function valuesOf(
  { placeholder, first = [] }: MembersTable,
  cells: readonly Cell[],
): { parts: { part: string; place: number }[]; columns: { family: Metric; values: (number | null)[][] }[] } {
  const rank = ({ name }: Metric): number => {
    const found = first.findIndex((end) => name.endsWith(`.${end}`));
    return found === -1 ? first.length : found;
  };
  const families = catalogue
    .filter((metric) => isFamily(metric) && !metric.hidden && metric.name.includes(placeholder))
    .sort((a, b) => rank(a) - rank(b));
  const trials = cells.flatMap((cell) => cell.trials);
  const parts = [
    ...new Set(
      families.flatMap((family) => membersIn(family, trials).map((member) => partOf(family, member.name) ?? '')),
    ),
  ].sort();
  const columns = families
    .map((family) => ({
      family,
      values: parts.map((part) => cells.map((cell) => median(told(memberOf(family, part), cell.trials)))),
    }))
    .filter(({ values }) => values.flat().some((value) => value !== null && value !== 0));
  const matters = (place: number): boolean =>
    columns.some(({ values }) => {
      const largest = Math.max(...values.flat().map((value) => Math.abs(value ?? 0)));
      return values[place]?.some((value) => Math.abs(value ?? 0) >= minPart * largest && value !== 0);
    });
  return {
    parts: parts.map((part, place) => ({ part, place })).filter(({ place }) => matters(place)),
    columns,
  };
}

/** Things that a server or a machine has several of, each with a row of its own. */
export function membersSection(members: MembersTable): Section {
  return {
    id: members.id,
    blocks: ({ result, counted }) => {
      const table = membersTable(result, counted, members);
      const onFiles = membersOfPair(result, counted, members) ?? table;
      return [
        {
          title: members.title,
          parts: [
            { kind: 'table', table, only: inTerminal },
            { kind: 'table', table: onFiles, only: onFile },
          ],
        },
      ];
    },
  };
}
