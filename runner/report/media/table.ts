import type { Result } from '../../contract/result.ts';
import { variantsAt } from '../../experiment/groups.ts';
import {
  comparedLevel,
  type Conditions,
  conditionsWords,
  type Level,
  levelKey,
  levelOf,
  type Trial,
} from '../../contract/trial.ts';

/** A table for terminal, Markdown and HTML. All texts are final; only the layout differs. */
export interface Table {
  title: string;
  columns: Column[];
  rows: Row[];
  /** What it holds in a few words, for where it is folded away. @default the number of its rows */
  summary?: string;
  /** What the page calls to show only the rows with `differs`. @default it offers nothing like that */
  onlyDiffering?: string;
  /** What a reader needs to know to read the table correctly. Each note is a sentence or more. */
  notes: string[];
}

export interface Column {
  label: string;
  align: 'left' | 'right';
  /**
   * If a terminal is too narrow, the columns with the lowest number are left out first, all together. Columns without a
   * number stay.
   */
  dropOrder?: number | undefined;
  /** Its rows have different units, so that no order by it means anything. @default false */
  isMixed?: true;
}

export interface Row {
  cells: string[];
  /** What it is about, such as `WAL`. Rows of one group stand together; files name the group above them. */
  group?: string | undefined;
  /** Whether the sides differ beyond noise, or at all where nothing is left to chance. @default not known */
  differs?: boolean | undefined;
  /** What the page knows of a cell beyond its text, by the place of the cell. */
  more?: Readonly<Record<number, CellMore>>;
  /** strong: the row that decides. muted: shown, but not counted. */
  emphasis?: 'strong' | 'muted' | undefined;
  /** Only for a row that claims something. */
  tone?: 'good' | 'bad' | undefined;
}

export interface CellMore {
  /** By which the rows are sorted. @default the number that the text of a right-aligned cell begins with */
  value?: number;
  /** The whole text, of which the cell shows the beginning. */
  whole?: string;
  /** Id of the trial that the row is about; the page links its raw files. */
  trial?: string;
}

export const left = (label: string, dropOrder?: number): Column => ({ label, align: 'left', dropOrder });
export const right = (label: string, dropOrder?: number): Column => ({ label, align: 'right', dropOrder });

/** The rows group by group, in the order in which the groups begin; one entry if there are no groups. */
export function groupsOf(rows: readonly Row[]): { group: string | undefined; rows: Row[] }[] {
  const groups = new Map<string | undefined, Row[]>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups].map(([group, own]) => ({ group, rows: own }));
}

/** One column of a table about what was measured: a variant at a level. */
export interface Cell {
  conditions: Conditions;
  /** Such as `with-log-volume`, or `with-log-volume at 16 clients`. */
  label: string;
  trials: Trial[];
}

/**
 * The levels that were measured, in ascending order within each group of a matrix; one empty level if only the variant
 * is varied.
 */
export function levelsIn({ trials, experiment }: Pick<Result, 'trials' | 'experiment'>): Level[] {
  const groups = (experiment.definition.groups ?? []).map(({ name }) => name);
  const groupOf = ({ group }: Level): number => groups.findIndex((name) => name === group);
  const levels = new Map(
    [...trials]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ conditions }) => [levelKey(levelOf(conditions)), levelOf(conditions)]),
  );
  const found = [...levels.values()].sort((a, b) => groupOf(a) - groupOf(b) || inOrder(a, b));
  return found.length > 0 ? found : [{}];
}

/** The same without the replicas: everything that is compared at one level is drawn in one picture. */
export function comparedLevelsIn(result: Pick<Result, 'trials' | 'experiment'>): Level[] {
  return [...new Map(levelsIn(result).map((level) => [levelKey(comparedLevel(level)), comparedLevel(level)])).values()];
}

/** The variants in their order, each at all levels at which it is measured. */
export function cellsOf(
  result: Pick<Result, 'experiment' | 'trials'>,
  counted: ReadonlySet<string>,
  levels: readonly Level[] = levelsIn(result),
): Cell[] {
  const { definition } = result.experiment;
  return Object.keys(definition.variants).flatMap((name) =>
    levels
      .filter((level) => variantsAt(definition, level).includes(name))
      .map((level) => {
        const conditions: Conditions = { ...level, variant: name };
        const key = levelKey(level);
        const trials = result.trials.filter(
          (trial) =>
            counted.has(trial.id) && trial.conditions.variant === name && levelKey(levelOf(trial.conditions)) === key,
        );
        return { conditions, label: conditionsWords(conditions), trials };
      }),
  );
}

function inOrder(a: Level, b: Level): number {
  for (const name of Object.keys(a)) {
    const [x, y] = [a[name], b[name]];
    if (typeof x === 'number' && typeof y === 'number' && x !== y) return x - y;
  }
  return levelKey(a) < levelKey(b) ? -1 : 1;
}
