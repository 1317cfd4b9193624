import type { Client } from 'pg';

/** What a new session has of each setting, by its name in lower case, with its unit: `16384 (8kB)`. */
export async function resetValues(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    "SELECT lower(name) AS name, reset_val || coalesce(' (' || unit || ')', '') AS value FROM pg_settings WHERE reset_val IS NOT NULL",
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
