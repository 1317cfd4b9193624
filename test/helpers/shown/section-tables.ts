import type { Result } from '../../../runner/contract/result.ts';
import type { Table } from '../../../runner/report/media/table.ts';
import { reported } from '../../../runner/report/reported.ts';
import { sections } from '../../../runner/report/sections/registry.ts';
import type { Part } from '../../../runner/report/sections/section.ts';

/** The parts of a section of a result's report, by its id. */
export function partsOf(result: Result, id: string): Part[] {
  const of = reported(result);
  return sections.filter((one) => one.id === id).flatMap((one) => one.blocks(of).flatMap(({ parts }) => parts));
}

/** The tables of a section. */
export function tablesOf(result: Result, id: string): Table[] {
  return partsOf(result, id).flatMap((part) => (part.kind === 'table' ? part.table : []));
}

/** The cells of its first table, row by row. */
export function cellsOf(result: Result, id: string): string[][] {
  return tablesOf(result, id)[0]?.rows.map(({ cells }) => cells) ?? [];
}
