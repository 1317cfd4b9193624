/** A node of PostgreSQL's parse tree, as libpg-query writes it: a tag, such as SelectStmt, with its fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a text is, by its parse tree. */
export type Parsed =
  | { kind: 'statement'; tag: string; fields: Fields }
  /** It begins or ends transactions. */
  | { kind: 'transaction' }
  /** Any other statement that is no query. */
  | { kind: 'utility' }
  | { kind: 'unparsed'; why: string };

/** Statements that ask for data or change it. */
const queries = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'];

/**
 * Lets PostgreSQL's own parser read texts. It also reads what pg_stat_statements makes of constants, such as `date $1`.
 *
 * @returns what reads one text
 */
export async function openParser(): Promise<(text: string) => Parsed> {
  // Only now: it compiles a parser of a megabyte.
  const { loadModule, parseSync } = await import('libpg-query');
  await loadModule();
  return (text) => {
    try {
      const { stmts = [] } = parseSync(text);
      const [found, ...others] = stmts.map(({ stmt }) => tagged(stmt));
      if (!found || others.length > 0) return { kind: 'unparsed', why: 'not a single statement' };
      const { tag, fields } = found;
      if (tag === 'TransactionStmt') return { kind: 'transaction' };
      const isQuery = queries.includes(tag) && fields['intoClause'] === undefined;
      return isQuery ? { kind: 'statement', tag, fields } : { kind: 'utility' };
    } catch (error) {
      return { kind: 'unparsed', why: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** The tag and the fields of a node; null if it is none. */
export function tagged(node: unknown): { tag: string; fields: Fields } | null {
  if (!isFields(node)) return null;
  const entries = Object.entries(node);
  const [first] = entries;
  if (!first || entries.length > 1) return null;
  const [tag, fields] = first;
  return /^[A-Z]/.test(tag) && isFields(fields) ? { tag, fields } : null;
}

/** The fields of a node with this tag; null if it is another one. */
export function fieldsOf(node: unknown, tag: string): Fields | null {
  const found = tagged(node);
  return found?.tag === tag ? found.fields : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The nodes of a list; none if there is no list. */
export function nodesOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** Names in a list of strings, such as those of a column with its table. */
export function namesOf(list: unknown): string[] {
  return nodesOf(list).flatMap((node) => {
    const name = fieldsOf(node, 'String')?.['sval'];
    return typeof name === 'string' ? [name] : [];
  });
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A number; 0 where libpg-query leaves it out. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
