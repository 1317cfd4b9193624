import { beforeAll, describe, expect, it } from 'vitest';
import type { Catalogue, Column, Table } from '../../../../runner/workloads/own-data/from-server/columns.ts';
import { openParser, type Parsed } from '../../../../runner/workloads/own-data/from-server/parse.ts';
import { withValues } from '../../../../runner/workloads/own-data/from-server/script.ts';
import { type Role, type Shape, shapeOf } from '../../../../runner/workloads/own-data/from-server/shape.ts';

function table(name: string, columns: readonly string[], schema = 'public'): Table {
  const made: Table = {
    ...{ schema, name, isVisible: schema === 'public', isSystem: false, isWritable: true, rows: 100 },
    ...{ columns: new Map<string, Column>(), uniqueTogether: [] },
  };
  for (const column of columns) {
    made.columns.set(column, {
      ...{ table: made, name: column, type: 'integer', nullShare: 0, distinct: 100, common: [], bounds: ['1', '100'] },
      ...{ isUnique: false, isReference: false },
    });
  }
  return made;
}

const catalogue: Catalogue = {
  tables: [table('t', ['a', 'b', 'c']), table('u', ['id', 'a2']), table('t', ['x'], 'other')],
  volatile: new Set(['nextval']),
  userFunctions: new Set(),
};

let parse: (text: string) => Parsed;
beforeAll(async () => {
  parse = await openParser();
});

function shape(text: string): Shape {
  const parsed = parse(text);
  if (parsed.kind !== 'statement') throw new Error(`${text} is ${parsed.kind}`);
  return shapeOf(parsed, catalogue);
}

/** Such as `equal t.a`, in the order of the text. */
function roles(text: string): string[] {
  return shape(text).places.map(({ role }) => words(role));
}

function words(role: Role): string {
  const column = 'column' in role ? ` ${role.column.table.name}.${role.column.name}` : '';
  return `${role.kind === 'compared' ? role.by : role.kind}${column}`;
}

describe('the role of a parameter', () => {
  it.each<[string, string[]]>([
    ['SELECT * FROM t WHERE a = $1', ['equal t.a']],
    ['SELECT * FROM t WHERE $1 < a', ['from t.a']],
    ['SELECT * FROM t WHERE a >= date $1 AND a < $2::int', ['from t.a', 'until t.a']],
    ['SELECT * FROM t WHERE a BETWEEN $1 AND $2', ['from t.a', 'until t.a']],
    ['SELECT * FROM t WHERE a IN ($1, $2) OR b = ANY ($3)', ['equal t.a', 'equal t.a', 'any t.b']],
    ['SELECT * FROM t WHERE (a, b) = ($1, $2)', ['equal t.a', 'equal t.b']],
    ['SELECT $1, a FROM t LIMIT $2 OFFSET $3', ['result', 'limit', 'offset']],
    ['SELECT * FROM t JOIN u ON u.id = t.a WHERE a2 = $1 AND t.b IS NOT DISTINCT FROM $2', ['equal u.a2', 'equal t.b']],
    ['SELECT * FROM t AS x, u AS t WHERE t.id = $1 AND x.a = $2', ['equal u.id', 'equal t.a']],
    ['SELECT * FROM other.t WHERE x = $1', ['equal t.x']],
    ['SELECT * FROM t WHERE EXISTS (SELECT FROM u WHERE u.id = t.a AND b = $1)', ['equal t.b']],
    ['WITH r AS (SELECT * FROM t WHERE a = $1) SELECT * FROM r WHERE b = $2', ['equal t.a', 'equal t.b']],
    ['SELECT * FROM (SELECT a AS z FROM t) AS q WHERE q.z = $1', ['equal t.a']],
    ['WITH RECURSIVE r AS (SELECT a FROM r) SELECT * FROM r WHERE a = $1', ['unknown']],
    ['SELECT a FROM t WHERE b = $1 UNION SELECT id FROM u WHERE a2 = $2', ['equal t.b', 'equal u.a2']],
    ['SELECT * FROM t WHERE a LIKE $1 OR lower(b) = $2', ['pattern t.a', 'unknown']],
    ['SELECT * FROM t WHERE a > now() - $1', ['unknown']],
    ['UPDATE t SET a = a + $1, b = $2 WHERE c = $3', ['step t.a', 'stored t.b', 'equal t.c']],
    ['INSERT INTO t (c, a) VALUES ($1, $2), ($3, now())', ['stored t.c', 'stored t.a', 'stored t.c']],
    ['INSERT INTO u SELECT $1, a FROM t WHERE b = $2', ['stored u.id', 'equal t.b']],
    ['INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = t.b + $2', ['stored t.a', 'step t.b']],
    ['DELETE FROM t USING u WHERE u.id = t.a AND u.a2 <> $1', ['equal u.a2']],
  ])('%s', (text, expected) => {
    expect(roles(text)).toEqual(expected);
  });
});

it('a statement writes if any part of it does', () => {
  expect(shape('SELECT a FROM t').writes).toBe(false);
  expect(shape('SELECT a FROM t FOR SHARE').writes).toBe(true);
  expect(shape('WITH d AS (DELETE FROM t RETURNING a) SELECT * FROM d').writes).toBe(true);
  expect(shape("SELECT nextval('s'), a FROM t").volatile).toEqual(['nextval']);
});

it('names tables that are not there, but not those that WITH gives', () => {
  expect(shape('WITH v AS (SELECT 1) SELECT * FROM v, w, other.u').unknown).toEqual(['w', 'other.u']);
});

it.each<[string, Parsed['kind']]>([
  ['BEGIN', 'transaction'],
  ['COMMIT', 'transaction'],
  ['VACUUM t', 'utility'],
  ['COPY t FROM STDIN', 'utility'],
  ['SELECT a INTO x FROM t', 'utility'],
  ['SELECT FROM WHERE', 'unparsed'],
  ['SELECT 1; SELECT 2', 'unparsed'],
  ['MERGE INTO t USING u ON t.a = u.id WHEN MATCHED THEN DELETE', 'statement'],
])('%s is %s', (text, kind) => {
  expect(parse(text).kind).toBe(kind);
});

it('values take the places of parameters, whatever stands before them', () => {
  const text = "SELECT 'é€', a /* $1 – */ FROM t WHERE b = $2 AND c > timestamp with time zone $1 AND a = $2";
  const { places } = shape(text);
  expect(withValues(text, places, (number) => `<${number}>`)).toBe(
    "SELECT 'é€', a /* $1 – */ FROM t WHERE b = <2> AND c > <1>::timestamp with time zone AND a = <2>",
  );
});
