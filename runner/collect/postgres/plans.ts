import type { Client } from '../../postgres/client.ts';
import { withConnection } from '../../postgres/connect.ts';
import { planAsOthers } from '../../postgres/own-settings.ts';
import type { Target } from '../../postgres/target.ts';

/** Lines of a plan that are kept, and characters of a line. */
const [maxLines, maxCharacters] = [40, 200];
const parameter = /\$(\d+)/g;
const maxParameters = 200;
/** For all statements of a trial together. Then the connection is cut. */
const maxSeconds = 10;

/** Whether the plan of a statement is one for any constants, and so need not be the one that the server carries out. */
export function isGeneric(text: string): boolean {
  return parametersIn(text).length > 0;
}

/** Looked at while the load runs: the texts of its statements, whole and with the constants that they were sent with. */
export const textsOfLoad = `SELECT DISTINCT ON (query_id) query_id::text AS id, query AS text
  FROM pg_stat_activity
  WHERE datname = $1 AND usename = current_user AND state = 'active' AND backend_type = 'client backend'
    AND octet_length(query) < pg_size_bytes(current_setting('track_activity_query_size')) - 1`;

/**
 * How the server carries out these statements: EXPLAIN without costs; the generic plan of one with parameters. The server does not
 * execute them, but while it plans, it calls functions that are declared immutable. So they
 * must be statements that the role of the target has carried out itself: then nothing is called that it did not call.
 *
 * @param texts of single statements, maybe with $1 and so on in place of constants, by any key
 * @returns plans by the same keys. Those that the server cannot plan so are left out, such as that of COMMIT, as are those
 *   that it has no time for
 */
export async function plansOf(
  target: Target,
  texts: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const plans = new Map<string, string>();
  if (texts.size === 0) return plans;
  const ending = AbortSignal.any([signal, AbortSignal.timeout(maxSeconds * 1000)]);
  try {
    await withConnection(
      target,
      async (client) => {
        for (const [key, text] of texts) {
          ending.throwIfAborted();
          const plan = await planOf(client, text);
          if (plan !== null) plans.set(key, plan);
        }
      },
      ending,
    );
  } catch {
    signal.throwIfAborted();
  }
  return plans;
}

async function planOf(client: Client, text: string): Promise<string | null> {
  // Texts come from a view, which has no reason to hold two statements in one. What is planned here must be one.
  if (text.includes(';')) return null;
  const max = Math.max(0, ...parametersIn(text));
  if (max > maxParameters) return null;
  const values = max === 0 ? '' : `(${Array.from({ length: max }, () => 'NULL').join(', ')})`;
  try {
    await client.query('BEGIN READ ONLY');
    await client.query(planAsOthers);
    await client.query("SET LOCAL plan_cache_mode = 'force_generic_plan'");
    await client.query("SET LOCAL statement_timeout = '5s'");
    await client.query(`PREPARE pgduet_plan AS ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) EXECUTE pgduet_plan${values}`);
    return shownPlan(rows.map((row) => row['QUERY PLAN']));
  } catch {
    return null;
  } finally {
    // It ends the transaction, also a failed one. A prepared statement outlives it.
    await client.query('ROLLBACK');
    await client.query('DEALLOCATE ALL');
  }
}

/** The numbers of its parameters, such as 1 for $1. */
function parametersIn(text: string): number[] {
  return [...withoutStrings(text).matchAll(parameter)].map(([, number]) => Number(number));
}

/** A line of expressions, such as `Filter: (age > 30)` or `Sort Key: age, (height * 2)`, but not `Workers Planned: 2`. */
const expressions = /^\s*[A-Z][\w ]*: (?!\d+$)/;

/** Without constants: those of the statement, and of views, indexes and policies. */
export function shownPlan(rows: readonly string[]): string {
  // A constant may go on in the next row.
  const lines = withoutStrings(rows.join('\n')).split('\n');
  const shown = lines.slice(0, maxLines).map((line) => {
    const masked = expressions.test(line) ? withoutNumbers(line) : line;
    return masked.length > maxCharacters ? `${masked.slice(0, maxCharacters - 1)}…` : masked;
  });
  return [...shown, ...(lines.length > maxLines ? [`… ${lines.length - maxLines} more lines`] : [])].join('\n');
}

/** With an ellipsis in place of each quoted constant. Quoted names stay. */
export function withoutStrings(sql: string): string {
  return sql.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'?/g, (quoted) => (quoted.startsWith('"') ? quoted : "'…'"));
}

/** Numbers of parameters and those within names stay. */
function withoutNumbers(line: string): string {
  return line.replaceAll(/"(?:[^"]|"")*"|(?<![\w$.])\d[\d.]*(?:e[+-]?\d+)?/gi, (found) =>
    found.startsWith('"') ? found : '…',
  );
}
