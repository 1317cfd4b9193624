import type { Client } from 'pg';

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
