import { hasCode, UserError } from '../../../contract/errors.ts';
import type { Client } from '../../../postgres/client.ts';

/** A statement that a server has counted, whoever sent it. */
export interface CountedStatement {
  /** Normalised: `$1` and so on stand for constants. null if the server has lost it. */
  text: string | null;
  calls: number;
  /** Of all calls together. */
  seconds: number;
  /** Returned or changed, by all calls together. */
  rows: number;
}

/** What pg_stat_statements has of one database. */
export interface CountedStatements {
  statements: CountedStatement[];
  /** Since when it counts; null if it does not say. */
  since: Date | null;
  database: string;
  /** Of the database, in bytes. */
  sizeBytes: number;
  /** That its dump must bring: all but pg_stat_statements, which only superusers may create. */
  extensions: string[];
}

/**
 * Reads the statements of the session's database that applications sent themselves: not those within functions.
 *
 * @param service in messages
 * @throws {UserError} with the remedy, if the extension is missing or counts nothing, or if the role may not see the statements of others
 */
export async function readStatements(client: Client, service: string): Promise<CountedStatements> {
  const refuse = (what: string): never => {
    throw new UserError(`The service ${service}: ${what}`);
  };
  const { rows: found } = await client.query<About>(about);
  const [first] = found;
  if (!first) throw new Error('no answer about the server');
  const { schema, database, role, mayRead, track, sizeBytes, extensions } = first;
  if (schema === null) {
    refuse(
      `the database ${database} has no pg_stat_statements. Add it to shared_preload_libraries, restart the server, let the load run for a while, and run in ${database}: CREATE EXTENSION pg_stat_statements`,
    );
  }
  if (!mayRead) {
    refuse(
      `the role ${role} may not read the statements of other roles. As an administrator, run: GRANT pg_read_all_stats TO ${role}`,
    );
  }
  if (track === 'none') {
    refuse('pg_stat_statements.track is none, so nothing is counted. Set it to top, and let the load run for a while.');
  }
  try {
    const { rows } = await client.query<CountedStatement>(
      `SELECT s.query AS text, sum(s.calls)::float8 AS calls, sum(s.total_exec_time)::float8 / 1000 AS seconds, sum(s.rows)::float8 AS rows
         FROM ${schema ?? ''}.pg_stat_statements(true) AS s
        WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND s.toplevel AND s.calls > 0
        GROUP BY s.queryid, s.query ORDER BY s.queryid`,
    );
    const { rows: resets } = await client.query<{ since: Date | null }>(
      `SELECT stats_reset AS since FROM ${schema ?? ''}.pg_stat_statements_info`,
    );
    return { statements: rows, since: resets[0]?.since ?? null, database, sizeBytes, extensions };
  } catch (error) {
    if (hasCode(error, notLoaded)) {
      refuse('pg_stat_statements is not loaded. Add it to shared_preload_libraries, and restart the server.');
    }
    if (hasCode(error, ...unknownNames)) {
      refuse(`its pg_stat_statements is older than 1.9. Run in ${database}: ALTER EXTENSION pg_stat_statements UPDATE`);
    }
    throw error;
  }
}

interface About {
  /** Of the extension, quoted. */
  schema: string | null;
  database: string;
  /** Quoted. */
  role: string;
  mayRead: boolean;
  track: string | null;
  sizeBytes: number;
  extensions: string[];
}

const about = `SELECT
  (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_stat_statements') AS schema,
  current_database()::text AS database, quote_ident(current_user) AS role,
  pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS "mayRead",
  current_setting('pg_stat_statements.track', true) AS track,
  pg_database_size(current_database())::float8 AS "sizeBytes",
  ARRAY(SELECT extname::text FROM pg_extension WHERE extname <> 'pg_stat_statements' ORDER BY extname) AS extensions`;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const notLoaded = '55000';
/** A table, column or function. */
const unknownNames = ['42P01', '42703', '42883'];
