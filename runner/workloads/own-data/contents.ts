import type { Client } from 'pg';
import { z } from 'zod';
import { UserError } from '../../contract/errors.ts';

/**
 * What a database with one's own data holds, as far as that is quick to see. What a load is meant to make, only the user
 * knows: so what there was right after it is what there must be later, in every server and after trials.
 */
const contentsSchema = z.object({
  /** Tables, views, sequences, valid indexes, and functions, each with its kind and full name. */
  objects: z.array(z.string()),
  /** Size of all tables and indexes. */
  bytes: z.number(),
});

export type Contents = z.output<typeof contentsSchema>;

/** Trials may delete rows, but hardly half of the data. The check of a trial's size has the same bound. */
const leastShare = 0.5;
/** So many names of what is missing are enough. */
const mostNamed = 5;

export async function contentsOf(client: Client): Promise<Contents> {
  const { rows } = await client.query<{ objects: string[] | null; bytes: number | null }>(
    `WITH schemas AS (
       SELECT oid, nspname FROM pg_namespace
        WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'pgduet_load')),
     relations AS (
       SELECT CASE WHEN c.relkind IN ('r', 'p', 'f') THEN 'table' WHEN c.relkind IN ('v', 'm') THEN 'view'
                   WHEN c.relkind = 'S' THEN 'sequence' ELSE 'index' END AS kind,
              format('%I.%I', n.nspname, c.relname) AS name,
              CASE WHEN c.relkind IN ('r', 'm') THEN pg_total_relation_size(c.oid) END AS bytes
         FROM pg_class c JOIN schemas n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
        WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'i', 'I') AND c.relpersistence <> 't' AND i.indisvalid IS NOT FALSE
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')),
     functions AS (
       SELECT format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS name
         FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace
        WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))
     SELECT (SELECT array_agg(kind || ' ' || name ORDER BY kind DESC, name)
               FROM (SELECT kind, name FROM relations UNION ALL SELECT 'function', name FROM functions) AS all_of_them) AS objects,
            (SELECT sum(bytes)::float8 FROM relations) AS bytes`,
  );
  return { objects: rows[0]?.objects ?? [], bytes: rows[0]?.bytes ?? 0 };
}

/** What there was and is not there any more, each a phrase. */
export function lackingFrom(held: unknown, now: Contents): string[] {
  const parsed = contentsSchema.safeParse(held);
  if (!parsed.success) return ['a record of what was loaded'];
  const there = new Set(now.objects);
  const gone = parsed.data.objects.filter((object) => !there.has(object));
  const others = gone.length - mostNamed;
  return [
    ...gone.slice(0, mostNamed),
    ...(others > 0 ? [`${others} other tables, indexes or functions`] : []),
    ...(now.bytes < leastShare * parsed.data.bytes
      ? [`most of the data (${mebibytes(parsed.data.bytes)} after loading, ${mebibytes(now.bytes)} now)`]
      : []),
  ];
}

/**
 * Conditions of the user that do not hold, each a phrase.
 *
 * @throws {UserError} if a condition cannot be asked
 */
export async function unmetExpectations(client: Client, expectations: readonly string[]): Promise<string[]> {
  const unmet: string[] = [];
  for (const query of expectations) {
    const answer = await answerOf(client, query);
    if (answer !== true) unmet.push(`what load.expect asks for: ${query} (it gives ${JSON.stringify(answer)})`);
  }
  return unmet;
}

/** The first value of the first row; null without rows. */
async function answerOf(client: Client, query: string): Promise<unknown> {
  try {
    // A condition must change nothing.
    await client.query('BEGIN TRANSACTION READ ONLY');
    await client.query('SET LOCAL search_path TO DEFAULT');
    const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
    return rows[0]?.[0] ?? null;
  } catch (error) {
    if (!(error instanceof Error) || !/^(42|22|25|2F|P0)/.test(String((error as { code?: unknown }).code))) throw error;
    throw new UserError(`load.expect: ${query}: ${error.message}`, { cause: error });
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB`;
}
