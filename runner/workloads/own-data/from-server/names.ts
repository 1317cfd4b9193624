import type { Catalogue, Column, Table } from './columns.ts';
import { type Fields, fieldsOf, isFields, namesOf, nodesOf, textOf } from './parse.ts';

/** What the names of columns can mean at some place of a statement. */
export class Names {
  readonly #around: Names | null;
  readonly #catalogue: Catalogue;
  readonly #sources: { alias: string; columnOf: (name: string) => Column | null }[] = [];
  /** Queries that WITH names: they hide tables. */
  readonly #given = new Map<string, unknown>();
  /** Tables that are named and do not exist. */
  readonly unknown: Set<string>;
  /** Names given by WITH whose queries are being looked at. */
  readonly #following: Set<string>;
  readonly tables: Set<Table>;

  constructor(catalogue: Catalogue, around: Names | null = null) {
    this.#catalogue = catalogue;
    this.#around = around;
    this.#following = around === null ? new Set() : around.#following;
    this.unknown = around?.unknown ?? new Set();
    this.tables = around?.tables ?? new Set();
  }

  /** The scope of a statement within. */
  within(): Names {
    return new Names(this.#catalogue, this);
  }

  give(name: string, query: unknown): void {
    this.#given.set(name, query);
  }

  /** Adds what FROM, or the target of a statement, names. */
  addSources(node: unknown): void {
    const join = fieldsOf(node, 'JoinExpr');
    if (join) {
      this.addSources(join['larg']);
      this.addSources(join['rarg']);
      return;
    }
    const query = fieldsOf(node, 'RangeSubselect');
    if (query) this.#addQuery(aliasOf(query) ?? '', query['subquery']);
    const relation = fieldsOf(node, 'RangeVar');
    if (relation) this.addTable(relation);
  }

  #addQuery(alias: string, query: unknown): void {
    const select = fieldsOf(query, 'SelectStmt');
    if (!select) return;
    const inner = this.within();
    for (const source of nodesOf(select['fromClause'])) inner.addSources(source);
    // A query in FROM does not see what stands beside it.
    const columnOf = (name: string): Column | null => {
      for (const target of nodesOf(select['targetList'])) {
        const found = fieldsOf(target, 'ResTarget');
        const reference = nodesOf(fieldsOf(found?.['val'], 'ColumnRef')?.['fields']);
        const names = namesOf(reference);
        if (fieldsOf(reference.at(-1), 'A_Star')) {
          const column = inner.#own(name, names.at(-1));
          if (column) return column;
        } else if ((textOf(found?.['name']) ?? names.at(-1)) === name) {
          return inner.#own(names.at(-1) ?? '', names.at(-2));
        }
      }
      return null;
    };
    this.#sources.push({ alias, columnOf });
  }

  /** @returns null if it is a name that WITH gives, or no table that exists */
  addTable(relation: Fields): Table | null {
    const [schema, name] = [textOf(relation['schemaname']), textOf(relation['relname']) ?? ''];
    const alias = aliasOf(relation) ?? name;
    const given = schema === null ? this.#givenBy(name) : undefined;
    if (given !== undefined) {
      // What names itself would have no end.
      if (this.#following.has(name)) return null;
      this.#following.add(name);
      this.#addQuery(alias, given);
      this.#following.delete(name);
      return null;
    }
    const table = this.#catalogue.tables.find(
      (one) => one.name === name && (schema === null ? one.isVisible : one.schema === schema),
    );
    if (!table) {
      this.unknown.add(schema === null ? name : `${schema}.${name}`);
      return null;
    }
    this.#sources.push({ alias, columnOf: (column) => table.columns.get(column) ?? null });
    this.tables.add(table);
    return table;
  }

  /** The column that a reference means; null if it is not one of a table. */
  columnOf(node: unknown): Column | null {
    const reference = fieldsOf(node, 'ColumnRef');
    if (!reference) return null;
    const names = namesOf(reference['fields']);
    // A star is no name.
    if (names.length !== nodesOf(reference['fields']).length) return null;
    return this.#find(names.at(-1) ?? '', names.at(-2));
  }

  #find(name: string, alias: string | undefined): Column | null {
    return this.#own(name, alias) ?? (this.#around === null ? null : this.#around.#find(name, alias));
  }

  #own(name: string, alias: string | undefined): Column | null {
    for (const source of this.#sources) {
      const column = alias === undefined || alias === source.alias ? source.columnOf(name) : null;
      if (column) return column;
    }
    return null;
  }

  /** undefined if WITH gives no such name. */
  #givenBy(name: string): unknown {
    return this.#given.has(name)
      ? this.#given.get(name)
      : this.#around === null
        ? undefined
        : this.#around.#givenBy(name);
  }
}

function aliasOf({ alias }: Fields): string | null {
  return isFields(alias) ? textOf(alias['aliasname']) : null;
}
