import type { Client } from './client.ts';

/** Steps that can reset any database before a trial. A tool may have further steps for its own tables. */
export const generalResetSteps = ['restore', 'restart', 'prewarm', 'vacuum', 'checkpoint'] as const;

/** The steps in words, for the report. */
export const resetWords: Readonly<Record<(typeof generalResetSteps)[number], string>> = {
  restore: 'restore the loaded data',
  restart: 'restart the server',
  prewarm: 'read everything into the cache',
  vacuum: 'vacuum',
  checkpoint: 'checkpoint',
};

/**
 * The value of each setting in a new session, with its unit, such as `16384 (8kB)`, by name in lower case.
 *
 * @param names in lower case. @default all
 */
export async function resetValues(client: Client, names?: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    // Some of the server's names have capitals, such as DateStyle.
    `SELECT lower(name) AS name, reset_val || coalesce(' (' || unit || ')', '') AS value FROM pg_settings
      WHERE reset_val IS NOT NULL AND ($1::text[] IS NULL OR lower(name) = ANY ($1)) ORDER BY 1`,
    [names ?? null],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
