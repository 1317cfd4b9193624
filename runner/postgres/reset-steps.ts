import type { Client } from 'pg';

/** Steps that can reset any database before a trial. A tool has further steps for its own tables. */
export const generalResetSteps = ['restore', 'restart', 'prewarm', 'vacuum', 'checkpoint'] as const;

/** Names of the steps in words, for the report. */
export const resetWords: Readonly<Record<(typeof generalResetSteps)[number], string>> = {
  restore: 'restore what was loaded',
  restart: 'restart the server',
  prewarm: 'read everything into its cache',
  vacuum: 'vacuum',
  checkpoint: 'checkpoint',
};

/**
 * What a new session has of each setting, by its name in lower case, with its unit: `16384 (8kB)`.
 *
 * @param names in lower case. @default all
 */
export async function resetValues(client: Client, names?: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    // The server has capitals in some names, such as DateStyle.
    `SELECT lower(name) AS name, reset_val || coalesce(' (' || unit || ')', '') AS value FROM pg_settings
      WHERE reset_val IS NOT NULL AND ($1::text[] IS NULL OR lower(name) = ANY ($1)) ORDER BY 1`,
    [names ?? null],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
