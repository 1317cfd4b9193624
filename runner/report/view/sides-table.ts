import { differingValues, type Side } from '../../analysis/undeclared-differences.ts';
import { left, type Table } from './table.ts';
import { settingWords } from './settings-table.ts';
import { absent } from '../../contract/format.ts';

/** What differs between the sides of a comparison, before anything is said about their figures. */
export function sidesTable(sides: readonly Side[]): Table {
  const compared = [...new Map(sides.map((side) => [side.label, side])).values()];
  return {
    title: 'What differs between them',
    columns: [left(''), ...compared.map(({ label }) => left(label))],
    rows: differingValues(compared).map(({ what, values }) => ({
      cells: [what, ...values.map((value) => (value === null ? absent : settingWords(value.replaceAll('"', ''))))],
    })),
    notes: [],
  };
}
