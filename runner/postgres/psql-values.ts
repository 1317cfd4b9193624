import pg from 'pg';

/** Reads the values of a column as the pg package does. @param type as psql names it */
export function readerOf(type: string): (value: string) => unknown {
  const oid = typeIds[type];
  return oid === undefined ? (value) => value : parserOf(oid, 'text');
}

// Its type does not know the ids of arrays.
const parserOf = pg.types.getTypeParser as (oid: number, format: 'text') => (value: string) => unknown;

/** Ids of the types that become more than text, by the names that psql shows. From pg_type.dat. */
const typeIds: Readonly<Record<string, number>> = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  oid: 26,
  json: 114,
  jsonb: 3802,
  real: 700,
  'double precision': 701,
  date: 1082,
  'timestamp without time zone': 1114,
  'timestamp with time zone': 1184,
  interval: 1186,
  'boolean[]': 1000,
  'smallint[]': 1005,
  'integer[]': 1007,
  'text[]': 1009,
  'name[]': 1009,
  'bigint[]': 1016,
  'oid[]': 1028,
  'double precision[]': 1022,
  'json[]': 199,
  'jsonb[]': 3807,
};

/** A value as SQL writes it. */
export function literal(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : pg.escapeLiteral(asText(value));
}

/** A value as PostgreSQL reads it. Arrays hold no arrays. */
function asText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return `{${value.map((one) => (one === null ? 'NULL' : `"${asText(one).replace(/[\\"]/g, '\\$&')}"`)).join(',')}}`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
