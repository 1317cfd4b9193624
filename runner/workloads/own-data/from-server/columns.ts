import type { Client } from '../../../postgres/client.ts';

/** What the server knows of a column's values. */
export interface Column {
  table: Table;
  name: string;
  /** As SQL writes it, such as `timestamp with time zone`. */
  type: string;
  nullShare: number;
  /** About how many different values there are. */
  distinct: number;
  /** The most common values, as text, and the share of rows that each has. */
  common: { value: string; share: number }[];
  /** Ends of parts with the same number of rows each; rows with a common value are left out. */
  bounds: string[];
  /** Whether an index lets no two rows have the same value. */
  isUnique: boolean;
  /** Whether another table must have the value. */
  isReference: boolean;
}

export interface Table {
  schema: string;
  name: string;
  /** Whether a name without a schema means it. */
  isVisible: boolean;
  /** Whether it is of PostgreSQL or an extension, or a sequence, which tools such as pg_dump ask for its state. */
  isSystem: boolean;
  /** Whether our role may change its rows, which it also needs to have a change planned. */
  isWritable: boolean;
  /** About how many rows it has; at least 0. */
  rows: number;
  /** By name, in the order of the table. */
  columns: Map<string, Column>;
  /** Columns of unique indexes of more than one column. */
  uniqueTogether: string[][];
}

/** All tables, views and sequences of a database, and what statements may call. */
export interface Catalogue {
  tables: Table[];
  /** Names of functions of which at least one version is volatile: it may write. */
  volatile: ReadonlySet<string>;
  /** Names of functions that neither PostgreSQL nor an extension brings. */
  userFunctions: ReadonlySet<string>;
}

/** Functions of PostgreSQL that are volatile and change nothing. */
const harmless = [
  ...['random', 'random_normal', 'clock_timestamp', 'timeofday', 'gen_random_uuid', 'uuidv4', 'uuidv7'],
  ...['pg_relation_size', 'pg_table_size', 'pg_total_relation_size', 'pg_indexes_size', 'pg_database_size'],
];

/** Reads the tables of the session's database, with the statistics that ANALYZE made of their columns. */
export async function readCatalogue(client: Client): Promise<Catalogue> {
  const { rows: found } = await client.query<FoundColumn>(columnsWithStatistics);
  const { rows: indexes } = await client.query<FoundIndex>(uniqueIndexes);
  const { rows: references } = await client.query<{ id: string; columns: string[] }>(foreignKeys);
  const { rows: functions } = await client.query<FoundFunction>(functionsByName);
  const tables = new Map<string, Table>();
  for (const one of found) {
    const { id, schema, table: name, isVisible, isSystem, isWritable, rows } = one;
    const table = tables.get(id) ?? {
      ...{ schema, name, isVisible, isSystem, isWritable, rows: Math.max(0, rows) },
      ...{ columns: new Map<string, Column>(), uniqueTogether: [] },
    };
    tables.set(id, table);
    const { values, shares, distinct } = one;
    table.columns.set(one.name, {
      ...{ table, name: one.name, type: one.type, nullShare: one.nullShare ?? 0, bounds: one.bounds ?? [] },
      // Negative: a share of the rows.
      distinct: distinct === null ? 0 : distinct < 0 ? -distinct * table.rows : distinct,
      common: (values ?? []).map((value, index) => ({ value, share: shares?.[index] ?? 0 })),
      ...{ isUnique: false, isReference: false },
    });
  }
  for (const { id, columns } of indexes) {
    const table = tables.get(id);
    const only = columns.length === 1 ? table?.columns.get(columns[0] ?? '') : undefined;
    if (only) only.isUnique = true;
    else table?.uniqueTogether.push(columns);
  }
  for (const { id, columns } of references) {
    for (const name of columns) {
      const column = tables.get(id)?.columns.get(name);
      if (column) column.isReference = true;
    }
  }
  const namesOf = (those: readonly FoundFunction[]): Set<string> => new Set(those.map(({ name }) => name));
  return {
    tables: [...tables.values()],
    volatile: namesOf(functions.filter(({ name, isVolatile }) => isVolatile && !harmless.includes(name))),
    userFunctions: namesOf(functions.filter(({ isOfUsers }) => isOfUsers)),
  };
}

/** Of tables with at most so many rows, the values themselves are read where there are no statistics: ANALYZE makes none of a single row. */
const smallTable = 100;

/** Completes the statistics of columns that have none, as far as their tables are small. */
export async function completeSmall(client: Client, columns: Iterable<Column>): Promise<void> {
  for (const column of new Set(columns)) {
    const { table, name, common, bounds } = column;
    if (common.length + bounds.length > 0 || table.rows === 0 || table.rows > smallTable) continue;
    const [inTable, inColumn] = [[table.schema, table.name].map(quoted).join('.'), quoted(name)];
    const { rows } = await client.query<{ value: string | null; share: number }>(
      `SELECT value, (count(*) / sum(count(*)) OVER ())::float8 AS share
         FROM (SELECT ${inColumn}::text AS value FROM ${inTable} LIMIT ${smallTable}) AS few GROUP BY value ORDER BY value`,
    );
    column.common = rows.flatMap(({ value, share }) => (value === null ? [] : [{ value, share }]));
    column.distinct = column.common.length;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

interface FoundColumn {
  id: string;
  schema: string;
  table: string;
  isVisible: boolean;
  isSystem: boolean;
  isWritable: boolean;
  rows: number;
  name: string;
  type: string;
  nullShare: number | null;
  distinct: number | null;
  values: string[] | null;
  shares: number[] | null;
  bounds: string[] | null;
}

interface FoundFunction {
  name: string;
  isVolatile: boolean;
  isOfUsers: boolean;
}

const functionsByName = `SELECT proname::text AS name, bool_or(provolatile = 'v') AS "isVolatile",
    bool_or(pronamespace <> 'pg_catalog'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')) AS "isOfUsers"
  FROM pg_proc p GROUP BY proname`;

interface FoundIndex {
  id: string;
  columns: string[];
}

/** Values of array types would lose their braces. Of a table with children, the statistics with theirs. */
const columnsWithStatistics = `SELECT c.oid::text AS id, n.nspname::text AS schema, c.relname::text AS table,
    pg_table_is_visible(c.oid) AS "isVisible",
    c.relkind = 'S' OR n.nspname IN ('pg_catalog', 'information_schema', 'pg_toast')
      OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') AS "isSystem",
    has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
      AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE') AS "isWritable",
    c.reltuples::float8 AS rows, a.attname::text AS name, format_type(a.atttypid, -1) AS type,
    s.null_frac::float8 AS "nullShare", s.n_distinct::float8 AS distinct,
    CASE WHEN t.typelem = 0 OR t.typlen > 0 THEN s.most_common_vals::text::text[] END AS values,
    s.most_common_freqs::float8[] AS shares,
    CASE WHEN t.typelem = 0 OR t.typlen > 0 THEN s.histogram_bounds::text::text[] END AS bounds
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN LATERAL (SELECT * FROM pg_stats s
    WHERE s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY s.inherited DESC LIMIT 1) s ON true
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
  ORDER BY c.oid, a.attnum`;

const uniqueIndexes = `SELECT i.indrelid::text AS id, array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_index i
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])
  WHERE i.indisunique GROUP BY i.indexrelid, i.indrelid`;

const foreignKeys = `SELECT k.conrelid::text AS id, array_agg(a.attname::text) AS columns
  FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
  WHERE k.contype = 'f' GROUP BY k.oid, k.conrelid`;
