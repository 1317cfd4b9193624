import type { Catalogue, Column, Table } from './columns.ts';
import { type Fields, fieldsOf, isFields, namesOf, nodesOf, numberOf, tagged, textOf } from './parse.ts';
import { Names } from './names.ts';

/** What a parameter stands for. */
export type Role =
  /** It is compared with a column: for equality, as an end of a range, or as a list of values. */
  | { kind: 'compared'; column: Column; by: 'equal' | 'from' | 'until' | 'any' }
  /** It is written into a column. */
  | { kind: 'stored'; column: Column }
  /** It is added to a column, or taken off it. */
  | { kind: 'step'; column: Column }
  /** How many rows are returned or skipped at most. */
  | { kind: 'limit' }
  | { kind: 'offset' }
  /** It is a value of the result. */
  | { kind: 'result' }
  /** It is a pattern for a column. */
  | { kind: 'pattern'; column: Column }
  | { kind: 'unknown' };

/** A place where a parameter stands. */
export interface ParameterPlace {
  number: number;
  role: Role;
  /** Where its text begins and ends, in bytes. */
  from: number;
  until: number;
  /** Where a type before it begins, as in `date $1`; null if there is none. */
  typeFrom: number | null;
}

/** What a statement reads and writes, and what its parameters stand for. */
export interface Shape {
  /** Such as select. */
  verb: string;
  /** In the order in which they are named. */
  tables: Table[];
  /** Names of tables that are not there. */
  unknown: string[];
  /** Whether it changes or locks rows. */
  writes: boolean;
  functions: string[];
  /** Those that may write. */
  volatile: string[];
  /** Whether the number of its rows says how many it found: not if they are aggregated, grouped or limited. */
  returnsWhatItFinds: boolean;
  /** Columns that it inserts into, and whether rows that are there already are no error. */
  inserts: { table: Table; columns: string[]; mayConflict: boolean } | null;
  /** In the order of the text. */
  places: ParameterPlace[];
}

const comparisons: Readonly<Record<string, 'equal' | 'from' | 'until'>> = {
  ...{ '=': 'equal', '<>': 'equal' },
  ...{ '>': 'from', '>=': 'from', '<': 'until', '<=': 'until' },
};
/** The same from the other side: `$1 < column`. */
const turned = { equal: 'equal', from: 'until', until: 'from' } as const;

/** Finds what a statement is made of. */
export function shapeOf({ tag, fields }: { tag: string; fields: Fields }, catalogue: Catalogue): Shape {
  return new Reader(catalogue).read(tag, fields);
}

class Reader {
  readonly #catalogue: Catalogue;
  readonly #roles = new Map<unknown, Role>();
  readonly #places: ParameterPlace[] = [];
  readonly #functions = new Set<string>();
  #writes = false;
  #inserts: Shape['inserts'] = null;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  read(tag: string, fields: Fields): Shape {
    const scope = new Names(this.#catalogue);
    this.#statement(tag, fields, scope);
    const hasAggregate = nodesOf(fields['targetList']).some((target) => {
      const value = fieldsOf(target, 'ResTarget')?.['val'];
      return fieldsOf(value, 'FuncCall') !== null;
    });
    const shrinks = ['groupClause', 'distinctClause', 'limitCount', 'havingClause'].some((key) => key in fields);
    return {
      verb: tag.replace('Stmt', '').toLowerCase(),
      tables: [...scope.tables],
      unknown: [...scope.unknown],
      writes: this.#writes,
      functions: [...this.#functions],
      volatile: [...this.#functions].filter((name) => this.#catalogue.volatile.has(name)),
      returnsWhatItFinds: tag !== 'InsertStmt' && !hasAggregate && !shrinks,
      inserts: this.#inserts,
      places: this.#places.toSorted((one, other) => one.from - other.from),
    };
  }

  #statement(tag: string, fields: Fields, around: Names): void {
    const scope = around.within();
    if (tag !== 'SelectStmt' || nodesOf(fields['lockingClause']).length > 0) this.#writes = true;
    const given = isFields(fields['withClause']) ? nodesOf(fields['withClause']['ctes']) : [];
    for (const one of given) {
      const table = fieldsOf(one, 'CommonTableExpr');
      const name = textOf(table?.['ctename']);
      if (table && name !== null) scope.give(name, table['ctequery']);
    }
    const target = isFields(fields['relation']) ? scope.addTable(fields['relation']) : null;
    for (const source of [...nodesOf(fields['fromClause']), ...nodesOf(fields['usingClause'])])
      scope.addSources(source);
    if (tag === 'MergeStmt') scope.addSources(fields['sourceRelation']);
    if (target && tag === 'InsertStmt') this.#insert(fields, target);
    if (target && tag === 'UpdateStmt') this.#assign(fields['targetList'], target, scope);
    if (tag === 'SelectStmt') {
      this.#roles.set(fields['limitCount'], { kind: 'limit' });
      this.#roles.set(fields['limitOffset'], { kind: 'offset' });
      for (const one of nodesOf(fields['targetList']))
        this.#mark(fieldsOf(one, 'ResTarget')?.['val'], { kind: 'result' });
    }
    this.#walk(fields, scope);
  }

  #insert(fields: Fields, table: Table): void {
    const named = nodesOf(fields['cols']).flatMap((one) => textOf(fieldsOf(one, 'ResTarget')?.['name']) ?? []);
    const columns = named.length > 0 ? named : [...table.columns.keys()];
    const conflict = fields['onConflictClause'];
    this.#inserts ??= { table, columns, mayConflict: conflict !== undefined };
    const source = fieldsOf(fields['selectStmt'], 'SelectStmt');
    const rows = nodesOf(source?.['valuesLists']).map((row) => nodesOf(fieldsOf(row, 'List')?.['items']));
    const selected = nodesOf(source?.['targetList']).map((one) => fieldsOf(one, 'ResTarget')?.['val']);
    for (const row of [...rows, selected]) {
      for (const [index, value] of row.entries()) this.#store(value, table.columns.get(columns[index] ?? ''));
    }
    if (isFields(conflict)) this.#assign(conflict['targetList'], table, null);
  }

  /** SET of an UPDATE. */
  #assign(list: unknown, table: Table, scope: Names | null): void {
    for (const one of nodesOf(list)) {
      const target = fieldsOf(one, 'ResTarget');
      const column = table.columns.get(textOf(target?.['name']) ?? '');
      this.#store(target?.['val'], column);
      const sum = fieldsOf(target?.['val'], 'A_Expr');
      const isStep = sum?.['kind'] === 'AEXPR_OP' && ['+', '-'].includes(namesOf(sum['name'])[0] ?? '');
      if (column && isStep && (scope === null || scope.columnOf(sum['lexpr']) !== null)) {
        this.#mark(sum['rexpr'], { kind: 'step', column });
      }
    }
  }

  #store(value: unknown, column: Column | undefined): void {
    if (column) this.#mark(value, { kind: 'stored', column });
  }

  /** The first role that a parameter is found to have is its own. */
  #mark(value: unknown, role: Role): void {
    const inner = withoutCasts(value);
    if (fieldsOf(inner, 'ParamRef') && !this.#roles.has(inner)) this.#roles.set(inner, role);
  }

  #walk(value: unknown, scope: Names, typeFrom: number | null = null): void {
    if (Array.isArray(value)) {
      for (const one of value) this.#walk(one, scope);
      return;
    }
    if (!isFields(value)) return;
    const found = tagged(value);
    if (!found) {
      for (const [key, one] of Object.entries(value)) {
        // The parts of UNION have no tag.
        if (['larg', 'rarg'].includes(key) && isFields(one) && 'op' in one) this.#statement('SelectStmt', one, scope);
        else this.#walk(one, scope);
      }
      return;
    }
    const { tag, fields } = found;
    if (tag === 'ParamRef') {
      const [number, from] = [numberOf(fields['number']), numberOf(fields['location'])];
      const role = this.#roles.get(value) ?? { kind: 'unknown' };
      this.#places.push({ number, role, from, until: from + 1 + String(number).length, typeFrom });
      return;
    }
    if (/^(Select|Insert|Update|Delete|Merge)Stmt$/.test(tag)) {
      this.#statement(tag, fields, scope);
      return;
    }
    if (tag === 'FuncCall') this.#functions.add(namesOf(fields['funcname']).at(-1) ?? '');
    if (tag === 'A_Expr') this.#compare(fields, scope);
    // A type before its constant has its place before it; that of a cast comes after it.
    const type = tag === 'TypeCast' && isFields(fields['typeName']) ? numberOf(fields['typeName']['location']) : null;
    const parameter = type === null ? null : fieldsOf(fields['arg'], 'ParamRef');
    const isBefore = type !== null && parameter !== null && type < numberOf(parameter['location']);
    if (isBefore) this.#walk(fields['arg'], scope, type);
    else for (const one of Object.values(fields)) this.#walk(one, scope);
  }

  #compare(fields: Fields, scope: Names): void {
    const { kind, lexpr, rexpr } = fields as { kind?: unknown; lexpr?: unknown; rexpr?: unknown };
    const [left, right] = [fieldsOf(lexpr, 'RowExpr'), fieldsOf(rexpr, 'RowExpr')];
    if (left && right) {
      const others = nodesOf(right['args']);
      for (const [index, one] of nodesOf(left['args']).entries()) {
        this.#compare({ ...fields, lexpr: one, rexpr: others[index] }, scope);
      }
      return;
    }
    const by = comparisons[namesOf(fields['name']).at(-1) ?? ''];
    const column = scope.columnOf(withoutCasts(lexpr));
    if (column === null) {
      const other = scope.columnOf(withoutCasts(rexpr));
      if (kind === 'AEXPR_OP' && other !== null && by !== undefined) {
        this.#mark(lexpr, { kind: 'compared', column: other, by: turned[by] });
      }
      return;
    }
    const items = nodesOf(fieldsOf(rexpr, 'List')?.['items']);
    switch (kind) {
      case 'AEXPR_OP':
      case 'AEXPR_DISTINCT':
      case 'AEXPR_NOT_DISTINCT':
        if (by !== undefined) this.#mark(rexpr, { kind: 'compared', column, by });
        break;
      case 'AEXPR_OP_ANY':
      case 'AEXPR_OP_ALL':
        this.#mark(rexpr, { kind: 'compared', column, by: 'any' });
        break;
      case 'AEXPR_IN':
        for (const item of items) this.#mark(item, { kind: 'compared', column, by: 'equal' });
        break;
      case 'AEXPR_BETWEEN':
      case 'AEXPR_BETWEEN_SYM':
        for (const [index, item] of items.entries()) {
          this.#mark(item, { kind: 'compared', column, by: index === 0 ? 'from' : 'until' });
        }
        break;
      case 'AEXPR_LIKE':
      case 'AEXPR_ILIKE':
      case 'AEXPR_SIMILAR':
        this.#mark(rexpr, { kind: 'pattern', column });
    }
  }
}

function withoutCasts(node: unknown): unknown {
  const cast = fieldsOf(node, 'TypeCast');
  return cast ? withoutCasts(cast['arg']) : node;
}
