import type { Client } from 'pg';

/**
 * What our own sessions have, whatever a parameter of the experiment or of the server says: they work and read as they always do.
 * The load's sessions keep what the experiment says.
 */
const ownSettings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // Version 17 and newer.
  transaction_timeout: '0',
  default_transaction_read_only: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  client_min_messages: 'warning',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  bytea_output: 'hex',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
} as const;

/**
 * The first query of each session of ours: what ends a statement is switched off alone, before the others, each of which may
 * be unknown to the server. Tables that were loaded into `public` are found in any search path.
 *
 * The settings are those of the session: pg_settings.reset_val still tells what the server would give to others.
 */
export const settleSession = `
  SELECT set_config('statement_timeout', '0', false) WHERE current_setting('statement_timeout') <> '0';
  SELECT set_config(name, value, false)
    FROM (VALUES ${Object.entries(ownSettings)
      .map(([name, value]) => `('${name}', '${value}')`)
      .join(', ')}) AS own (name, value)
   WHERE current_setting(name, true) <> value;
  SELECT set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), 'public'), false)`;

/**
 * Options of libpq (PGOPTIONS) that give a client the settings of this session of ours.
 *
 * @param client a session that was settled
 */
export async function optionsOfSession(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS own (name)
      WHERE current_setting(name, true) IS NOT NULL`,
    [[...Object.keys(ownSettings), 'search_path']],
  );
  return rows.map(({ name, value }) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`).join(' ');
}
