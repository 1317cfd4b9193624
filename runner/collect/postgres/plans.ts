import type { Client } from 'pg';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';

/** Lines of a plan that are kept, and characters of a line. */
const [mostLines, mostCharacters] = [40, 200];
const parameter = /\$(\d+)/g;

/**
 * How the server would carry out these statements, whatever the constants are: EXPLAIN of their generic plans, without
 * costs. Nothing is executed.
 *
 * @param texts of single statements, with $1 and so on in place of constants, by any key
 * @returns plans by the same keys. Those that the server cannot plan so are left out, such as that of COMMIT
 */
export async function plansOf(
  target: Target,
  texts: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const plans = new Map<string, string>();
  await withConnection(
    target,
    async (client) => {
      for (const [key, text] of texts) {
        signal.throwIfAborted();
        const plan = await planOf(client, text);
        if (plan !== null) plans.set(key, plan);
      }
    },
    signal,
  );
  return plans;
}

async function planOf(client: Client, text: string): Promise<string | null> {
  // Texts come from a view, which has no reason to hold two statements in one. What is planned here must be one.
  if (text.includes(';')) return null;
  const numbers = [...text.matchAll(parameter)].map(([, number]) => Number(number));
  const most = numbers.reduce((a, b) => Math.max(a, b), 0);
  const values = most === 0 ? '' : `(${Array.from({ length: most }, () => 'NULL').join(', ')})`;
  try {
    await client.query('BEGIN READ ONLY');
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

/** Without constants: a plan has those that its statement has. */
export function shownPlan(lines: readonly string[]): string {
  const shown = lines.slice(0, mostLines).map((line) => {
    const masked = line.replaceAll(/'(?:[^']|'')*'/g, "'…'");
    return masked.length > mostCharacters ? `${masked.slice(0, mostCharacters - 1)}…` : masked;
  });
  return [...shown, ...(lines.length > mostLines ? [`… ${lines.length - mostLines} more lines`] : [])].join('\n');
}
