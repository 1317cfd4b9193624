import type { Client } from './client.ts';
import { hasCode, UserError } from '../contract/errors.ts';
import { sessionOptions } from './target.ts';

/**
 * On a server with one of these (the first up to version 15), every query runs in a parallel worker. There, pg_settings.reset_val is
 * the value of our session, and not that of others.
 */
const forcedParallelism = { force_parallel_mode: 'off', debug_parallel_query: 'off' } as const;

/** Gives a transaction of ours the setting of other sessions back that decides about plans. */
export const planAsOthers = `SELECT set_config(name, reset_val, true) FROM pg_settings
  WHERE name IN (${Object.keys(forcedParallelism)
    .map((name) => `'${name}'`)
    .join(', ')})`;

/**
 * Settings of our own sessions and of those that load data, whatever the parameters of the experiment or the server
 * say. With these, the sessions always work and read in the same way. The sessions of the load generator keep the
 * settings of the experiment.
 */
const sessionSettings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // Version 17 and newer.
  transaction_timeout: '0',
  default_transaction_read_only: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  client_min_messages: 'warning',
  // Version 15 and newer. Each look at counters sees them as they are.
  stats_fetch_consistency: 'cache',
  // With low costs, the server would compile each of our short queries, for longer than it carries them out.
  jit: 'off',
  ...forcedParallelism,
} as const;

/**
 * What SQL and COPY put into tables depends on these settings, so a variant with another value would hold other data.
 * The list comes from going through pg_settings of the contexts user and superuser, versions 14 to 19. How the same
 * rows are stored (compression, vacuum, WAL) and which plans are chosen is up to the experiment.
 */
const contentSettings = {
  // How text is read, and how values become text.
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  quote_all_identifiers: 'off',
  bytea_output: 'hex',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  timezone_abbreviations: 'Default',
  extra_float_digits: '1',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  xmlbinary: 'base64',
  xmloption: 'content',
  array_nulls: 'on',
  // Which rows a query finds, and in which order.
  transform_null_equals: 'off',
  row_security: 'on',
  gin_fuzzy_search_limit: '0',
  synchronize_seqscans: 'off',
  // What may be created, and where.
  check_function_bodies: 'on',
  default_table_access_method: 'heap',
  default_tablespace: '',
  // In minor versions since 2024.
  restrict_nonsystem_relation_kind: '',
} as const;

/** Further settings, which only some users may change. */
const privileged = {
  session_replication_role: 'origin',
  // Version 17 and newer.
  event_triggers: 'on',
} as const;

/** Settings that are the same on every server while data is loaded, by name in lower case. */
export const settingsOfContents: Readonly<Record<string, string>> = { ...contentSettings, ...privileged };

/**
 * Settings that contents also depend on, but that loads take from the experiment. Either no value would suit
 * everybody's data, or a value of ours would hide the value that other sessions get.
 */
export const leftToExperiment = ['default_text_search_config', 'plpgsql.variable_conflict'] as const;

const ownSettings = { ...sessionSettings, ...contentSettings };

/**
 * The first statements of each of our sessions. The first of them switches off statement_timeout alone, which could end the rest. The
 * server may not know some of the others. With `public` appended to the search path, tables that were loaded there are
 * always found. Schemas of the system that stand first in it are left out: sessions search them first anyway, and what is made
 * would go there.
 *
 * This changes only the session: pg_settings.reset_val still shows what the server gives to other sessions.
 */
export const settleSession: readonly string[] = [
  `SELECT set_config('statement_timeout', '0', false) WHERE current_setting('statement_timeout') <> '0'`,
  `SELECT set_config(name, value, false)
    FROM ${valuesOf(ownSettings)}
   WHERE current_setting(name, true) <> value`,
  `SELECT set_config('search_path', concat_ws(', ',
      nullif(regexp_replace(current_setting('search_path'), '^( *"?pg_(catalog|temp)"? *(, *|$))+', '', 'i'), ''), 'public'), false)`,
  `SELECT name, value
    FROM ${valuesOf(privileged)}
   WHERE current_setting(name, true) <> value`,
];

/** A setting that a session should have. */
interface Wanted {
  name: string;
  value: string;
}

/**
 * Completes the settings of a session if its server has other values of settings that only some users may change. If
 * our user may not, the values stay, and pgduet refuses to load (requireSettled).
 *
 * @param wanted the rows of the last statement of `settleSession`
 */
export async function settlePrivileged(client: Client, wanted: readonly Wanted[]): Promise<void> {
  for (const { name, value } of wanted) {
    try {
      await client.query('SELECT set_config($1, $2, false)', [name, value]);
    } catch (error) {
      if (!hasCode(error, insufficientPrivilege)) throw error;
    }
  }
}

/** @throws {UserError} if this session of ours would load other data than sessions on other servers */
export async function requireSettled(client: Client, server: string): Promise<void> {
  const { rows } = await client.query<Wanted & { found: string }>(
    `SELECT name, value, current_setting(name) AS found FROM ${valuesOf(privileged)} WHERE current_setting(name, true) <> value`,
  );
  const [first] = rows;
  if (!first) return;
  const { name, value, found } = first;
  throw new UserError(
    `On ${server}, ${name} is '${found}', which could make the loaded data differ from that on other servers, and pgduet's user may not set it to '${value}'. Omit it from the variant's parameters, or allow that user to set it.`,
  );
}

/**
 * Options of libpq (PGOPTIONS) that make a client use the settings of this session of ours.
 *
 * @param client a session that already has our settings
 */
export async function optionsOfSession(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string; value: string }>(
    // A user who may not change a setting may not even set it to its current value.
    `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS own (name)
      WHERE current_setting(name, true) IS NOT NULL
        AND (name <> ALL ($2) OR current_setting(name) IS DISTINCT FROM (SELECT reset_val FROM pg_settings s WHERE s.name = own.name))`,
    [[...Object.keys(ownSettings), ...Object.keys(privileged), 'search_path'], Object.keys(privileged)],
  );
  return sessionOptions(rows.map(({ name, value }) => [name, value]));
}

function valuesOf(settings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  return `(VALUES ${rows.join(', ')}) AS own (name, value)`;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const insufficientPrivilege = '42501';
