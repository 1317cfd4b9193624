import type { Column } from './columns.ts';
import type { ParameterPlace, Role, Shape } from './shape.ts';
import { type Case, drawValue, type Drawn, spanOf, type Undrawable } from './values.ts';

/** Something that a script does otherwise than its source did, or may do so. */
export interface Note {
  code: NoteCode;
  /** Number of the parameter; null if it is about the statement. */
  parameter: number | null;
  /** Such as the limit that was chosen, or the number of values that are listed. */
  value: number | null;
}

export type NoteCode =
  /** The server has not planned it, because the role may not change the table. */
  | 'unplanned'
  /** A LIMIT is the mean number of rows of the source. */
  | 'limit-from-rows'
  | 'offset-zero'
  /** What is added to a column is 1. */
  | 'step-one'
  /** A value of the result is 1. */
  | 'result-one'
  /** Only so many values of the column are drawn, of more. */
  | 'few-values'
  /** The width of a range is that of so many rows. */
  | 'range-from-rows'
  /** The width of a range is a guess. */
  | 'range-guessed'
  /** How much of the column a range with one end has is a guess. */
  | 'open-range'
  /** A list has so many values. */
  | 'list-length'
  /** A unique value is drawn beyond those that are there. */
  | 'new-values'
  /** All values are those of so many calls in a log. */
  | 'logged';

/** Why no value for a parameter is known. */
export interface Unfilled {
  code: Undrawable | 'pattern' | 'value-unknown';
  /** Its number; null if it is about several. */
  parameter: number | null;
  column: Column | null;
}

/** Commands of pgbench, and SQL for each parameter by its number. */
export interface Filled {
  commands: string[];
  sql: ReadonlyMap<number, string>;
  notes: Note[];
  /** Of one of the parameters, in place of its SQL; null if none has cases. */
  cases: { parameter: number; cases: readonly Case[] } | null;
}

/** What is known of a statement besides its text. */
export interface Known {
  shape: Shape;
  /** Types of its parameters, as the server sees them; $1 is the first. */
  types: readonly string[];
  /** Mean number of rows that a call returned or changed. */
  rowsPerCall: number;
}

/** Finds a value for each parameter of a statement. */
export function fill(known: Known): Filled | Unfilled {
  const filled = { commands: new Array<string>(), sql: new Map<number, string>(), notes: new Array<Note>() };
  let cases: Filled['cases'] = null;
  for (const place of placesByNumber(known.shape.places)) {
    const found = valueFor(place, known);
    if ('code' in found) return found;
    filled.commands.push(...found.commands);
    filled.sql.set(place.number, found.sql);
    filled.notes.push(...found.notes);
    if (found.cases) cases ??= { parameter: place.number, cases: found.cases };
  }
  return { ...filled, cases };
}

/** One place for each parameter: the first that says what it stands for. */
function placesByNumber(places: readonly ParameterPlace[]): ParameterPlace[] {
  const found = new Map<number, ParameterPlace>();
  for (const place of places) {
    const before = found.get(place.number);
    if (!before || before.role.kind === 'unknown') found.set(place.number, place);
  }
  // The end of a range is made of its beginning.
  return [...found.values()].toSorted((one, other) => Number(isUpperEnd(one)) - Number(isUpperEnd(other)));
}

function isUpperEnd({ role }: ParameterPlace): boolean {
  return role.kind === 'compared' && role.by === 'until';
}

type Value = Pick<Drawn, 'commands' | 'sql' | 'cases'> & { notes: Note[] };

function valueFor({ number, role }: ParameterPlace, known: Known): Value | Unfilled {
  const constant = (value: number, code: NoteCode, sql = String(value)): Value => ({
    commands: [],
    sql,
    notes: [{ code, parameter: number, value }],
  });
  switch (role.kind) {
    case 'limit':
      return constant(Math.max(1, Math.ceil(known.rowsPerCall)), 'limit-from-rows');
    case 'offset':
      return constant(0, 'offset-zero');
    case 'step':
      return spanOf(role.column) && !/date|time/.test(role.column.type)
        ? constant(1, 'step-one')
        : { code: 'value-unknown', parameter: number, column: role.column };
    case 'result':
      return ['integer', 'bigint', 'numeric', 'text'].includes(known.types[number - 1] ?? '')
        ? constant(1, 'result-one', known.types[number - 1] === 'text' ? "'1'" : '1')
        : { code: 'value-unknown', parameter: number, column: null };
    case 'pattern':
      return { code: 'pattern', parameter: number, column: role.column };
    case 'unknown':
      return { code: 'value-unknown', parameter: number, column: null };
    case 'stored':
      return storedValue(number, role.column, known);
    case 'compared':
      return comparedValue(number, role, known);
  }
}

function storedValue(number: number, column: Column, { shape }: Known): Value | Unfilled {
  if (!column.isUnique) return drawnFor(number, column, 'stored');
  // ON CONFLICT says what becomes of a row that is there.
  return shape.inserts?.mayConflict
    ? drawnFor(number, column, 'equal')
    : drawnFor(number, column, 'stored', [note('new-values', number)]);
}

function comparedValue(number: number, { column, by }: Extract<Role, { kind: 'compared' }>, known: Known) {
  switch (by) {
    case 'equal':
      return drawnFor(number, column, 'equal');
    case 'any':
      return listFor(number, column, known);
    case 'from':
      return drawnFor(
        number,
        column,
        'range',
        partnerOf(number, column, known) === null ? [note('open-range', number)] : [],
      );
    case 'until': {
      const partner = partnerOf(number, column, known);
      return partner === null
        ? drawnFor(number, column, 'range', [note('open-range', number)])
        : upperEnd(number, column, partner, known);
    }
  }
}

function drawnFor(
  number: number,
  column: Column,
  purpose: 'equal' | 'range' | 'stored',
  notes: Note[] = [],
  name = variable(number),
): Value | Unfilled {
  const value = drawValue(column, name, purpose);
  if (typeof value === 'string') return { code: value, parameter: number, column };
  const { listed, ...drawn } = value;
  return { ...drawn, notes: [...notes, ...(listed === null ? [] : [note('few-values', number, listed)])] };
}

/** No list is longer: people write lists of ten, and programs lists of thousands. */
const maxListLength = 10;

function listFor(number: number, column: Column, { shape, rowsPerCall, types }: Known): Value | Unfilled {
  const asFound = shape.returnsWhatItFinds ? Math.round(rowsPerCall) : maxListLength;
  const length = Math.min(maxListLength, Math.max(1, asFound));
  const values: Value[] = [];
  for (let index = 1; index <= length; index += 1) {
    const value = drawnFor(number, column, 'equal', [], `${variable(number)}_${index}`);
    if ('code' in value) return value;
    values.push(value);
  }
  return {
    commands: values.flatMap(({ commands }) => commands),
    sql: `ARRAY[${values.map(({ sql }) => sql).join(', ')}]::${types[number - 1] ?? `${column.type}[]`}`,
    notes: [note('list-length', number, length), ...(values[0]?.notes ?? [])],
  };
}

/** The parameter that is the other end of the same range; null if there is none. */
function partnerOf(number: number, column: Column, { shape }: Known): number | null {
  const ends = (by: 'from' | 'until'): number[] => [
    ...new Set(
      shape.places.flatMap(({ role, number: one }) =>
        role.kind === 'compared' && role.by === by && role.column === column ? [one] : [],
      ),
    ),
  ];
  const [lower, upper] = [ends('from'), ends('until')];
  const [at, isLower] = [lower.indexOf(number), lower.includes(number)];
  return (isLower ? upper[at] : lower[upper.indexOf(number)]) ?? null;
}

/** Where the number of rows does not say how wide a range was. */
const guessedShare = 0.01;

function upperEnd(number: number, column: Column, lower: number, { shape, rowsPerCall }: Known): Value | Unfilled {
  const found = spanOf(column);
  if (!found) return { code: 'unordered-range', parameter: number, column };
  const { rows } = column.table;
  const isKnown = shape.returnsWhatItFinds && rows > 0;
  const share = isKnown ? Math.min(1, rowsPerCall / rows) : guessedShare;
  const width = Math.max(0, Math.round(Number(found.span) * share));
  const name = variable(number);
  return {
    commands: [`\\set ${name} :${variable(lower)} + ${width}`],
    sql: found.kind.sql(`:${name}`),
    notes: [isKnown ? note('range-from-rows', number, rowsPerCall) : note('range-guessed', number, guessedShare)],
  };
}

function note(code: NoteCode, parameter: number, value: number | null = null): Note {
  return { code, parameter, value };
}

/** pgbench’s name of a parameter. */
function variable(number: number): string {
  return `p${number}`;
}
