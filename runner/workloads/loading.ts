import type { Client } from 'pg';
import { withConnection } from '../postgres/connect.ts';
import { optionsOfSession, requireSettled } from '../postgres/own-settings.ts';
import type { Target } from '../postgres/target.ts';

/** The tables that do not exist, each as a phrase. */
export async function missingTables(client: Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [tables],
  );
  const absent = new Set(rows.map(({ name }) => name));
  return tables.filter((table) => absent.has(table)).map((table) => `table ${table}`);
}

/** A phrase if the number found is not the wanted one. */
export function otherCount(what: string, found: number | undefined, wanted: number): string[] {
  return found === wanted
    ? []
    : [`${wanted.toLocaleString('en')} ${what} (found ${(found ?? 0).toLocaleString('en')})`];
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
