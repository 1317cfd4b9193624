import type { Client } from '../postgres/client.ts';
import { withConnection } from '../postgres/connect.ts';
import { optionsOfSession, requireSettled } from '../postgres/own-settings.ts';
import type { Target } from '../postgres/target.ts';

/** What a load must have made: in words, the query that counts it, and how many there must be. */
export type LoadedCount = readonly [what: string, query: string, wanted: number];

/** What is missing from a load, each a phrase; empty if nothing is. Without all tables, nothing is counted. */
export async function missingFromTables(
  client: Client,
  tables: readonly string[],
  counts: readonly LoadedCount[],
): Promise<string[]> {
  const { rows: known } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
    [tables],
  );
  const absent = tables.filter((table) => !known.some(({ name }) => name === table));
  if (absent.length > 0) return absent.map((table) => `table ${table}`);
  const text = `SELECT ${counts.map(([, query]) => `(${query})::float8`).join(', ')}`;
  const { rows } = await client.query<number[]>({ text, rowMode: 'array' });
  return counts.flatMap(([what, , wanted], index) => {
    const found = rows[0]?.[index] ?? 0;
    return found === wanted ? [] : [`${wanted.toLocaleString('en')} ${what} (found ${found.toLocaleString('en')})`];
  });
}

/** A list of names in SQL. */
export function sqlArray(names: readonly string[]): string {
  return `ARRAY[${names.map((name) => `'${name}'`).join(', ')}]`;
}

/**
 * The target for programs that load and reset. They get the settings of our own sessions. With a variant's settings,
 * such as a short statement_timeout or another DateStyle, they could fail, or load different data into each variant.
 *
 * @param options.ownSearchPath whether names without a schema mean what they mean to the scripts of the variant. In a
 *   load they mean the same on every server. @default false
 * @throws {UserError} if the server has other settings that our user may not change
 */
export async function loadingTarget(
  target: Target,
  signal: AbortSignal,
  { ownSearchPath = false }: { ownSearchPath?: boolean } = {},
): Promise<Target> {
  const settled = async (client: Client): Promise<string> => {
    await requireSettled(client, target.server);
    if (!ownSearchPath) await client.query(`SET search_path TO "$user", public`);
    return optionsOfSession(client);
  };
  const options = await withConnection(target, settled, signal);
  const { PGOPTIONS: declared = '', ...environment } = target.environment;
  return { ...target, environment: { ...environment, PGOPTIONS: `${declared} ${options}`.trim() } };
}
