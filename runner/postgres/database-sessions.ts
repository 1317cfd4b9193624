import type { Client } from './client.ts';
import { hasCode, UserError } from '../contract/errors.ts';
import { outsideLoad, type Session, sessionColumns, type Target } from './target.ts';
import { withConnection } from './connect.ts';
import { markOwn, optionsOfOwn, requireOwn } from './own-database.ts';

/** Number of tries: DROP DATABASE and CREATE DATABASE each wait 5 s for other sessions to end, and then fail. */
const patientAttempts = 6;

export interface DatabaseToClear {
  variant: string;
  database: string;
  /** Whether to end other sessions. Otherwise pgduet only waits for them to end. */
  terminate: boolean;
  attempts?: number | undefined;
}

/**
 * Carries out a statement that needs a database without other sessions. Waits up to half a minute for sessions to end.
 * A master user may not terminate sessions of superusers or of RDS itself, and a single one of these would make DROP
 * DATABASE WITH (FORCE) fail at once.
 *
 * @throws {UserError} with the remaining sessions
 */
export async function executeWithoutSessions(
  client: Client,
  statement: string,
  demand: DatabaseToClear,
): Promise<void> {
  const { variant, database, terminate, attempts = patientAttempts } = demand;
  for (let attempt = 1; ; attempt++) {
    if (terminate) await terminateSessions(client, database);
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (!hasCode(error, objectInUse)) throw error;
      if (attempt < attempts) continue;
      const sessions = await sessionsIn(client, database);
      // Something other than a session uses the database, such as a prepared transaction. The server's own message says
      // what.
      if (sessions.length === 0) throw error;
      throw new UserError(
        `${variant}: database ${database} must not be in use while pgduet copies or replaces it, but these sessions use it: ${sessions.map(inWords).join('; ')}. Close them, stop their programs until the run has ended, then start again.`,
      );
    }
  }
}

/** Sessions in the connection's database that belong neither to pgduet nor to the server itself, each in words. */
export async function otherSessions(client: Client): Promise<string[]> {
  const { rows } = await client.query<Session>(
    `SELECT ${sessionColumns}
       FROM pg_stat_activity
      WHERE datname = current_database() AND usename IS NOT NULL AND coalesce(application_name, '') NOT LIKE 'pgduet%'
      ORDER BY pid`,
  );
  return rows.map(inWords);
}

async function sessionsIn(client: Client, database: string): Promise<Session[]> {
  // Autovacuum has no user. PostgreSQL ends it by itself.
  const { rows } = await client.query<Session>(
    `SELECT ${sessionColumns}
       FROM pg_stat_activity
      WHERE datname = $1 AND usename IS NOT NULL AND pid <> pg_backend_pid()
      ORDER BY pid`,
    [database],
  );
  return rows;
}

function inWords({ pid, user, application, address }: Session): string {
  const known = [application, address].filter((part) => part !== null && part !== '');
  return `${user} (${[...known, `pid ${pid}`].join(', ')})`;
}

async function terminateSessions(client: Client, database: string): Promise<void> {
  for (const { pid } of await sessionsIn(client, database)) {
    try {
      await client.query('SELECT pg_terminate_backend($1)', [pid]);
    } catch (error) {
      if (!hasCode(error, insufficientPrivilege)) throw error;
    }
  }
}

/** Error codes of PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const [objectInUse, insufficientPrivilege] = ['55006', '42501'];
const [duplicateDatabase, uniqueViolation] = ['42P04', '23505'];

/**
 * Replaces the target's database with an empty one.
 *
 * @throws {UserError} if a session that our role may not end stays in the database
 */
export async function emptyDatabase(target: Target, signal: AbortSignal): Promise<void> {
  await inPostgres(target, signal, async (client, database) => {
    await requireOwn(client, target, target.database);
    await executeWithoutSessions(client, `DROP DATABASE IF EXISTS ${database}`, {
      variant: target.server,
      database: target.database,
      terminate: true,
    });
    await client.query(`CREATE DATABASE ${database}${optionsOfOwn(target)}`);
    await markOwn(client, target, target.database);
  });
}

/** Makes the target's database if it does not exist: an earlier start was cut off while replacing it. */
export async function completeEmptying(target: Target, signal: AbortSignal): Promise<void> {
  await inPostgres(target, signal, async (client, database) => {
    if ((await requireOwn(client, target, target.database)) !== 'absent') return;
    try {
      await client.query(`CREATE DATABASE ${database}${optionsOfOwn(target)}`);
    } catch (error) {
      // Another run of the same name has begun at the same moment. Whoever gets the lock goes on.
      if (hasCode(error, duplicateDatabase, uniqueViolation)) return;
      throw error;
    }
    await markOwn(client, target, target.database);
  });
}

async function inPostgres(
  target: Target,
  signal: AbortSignal,
  work: (client: Client, database: string) => Promise<void>,
): Promise<void> {
  const { default: pg } = await import('pg');
  const use = (client: Client): Promise<void> => work(client, pg.escapeIdentifier(target.database));
  return withConnection(outsideLoad(target), use, signal, { long: true });
}

/**
 * Drops databases that pgduet made on a server that was there before.
 *
 * @returns whether there were any
 * @throws {UserError} if one of them is not pgduet’s, or stays in use; the others are then gone
 */
export async function dropOwn(target: Target, databases: readonly string[], signal: AbortSignal): Promise<boolean> {
  const { default: pg } = await import('pg');
  let wasThere = false;
  const refused: UserError[] = [];
  await inPostgres(target, signal, async (client) => {
    for (const database of databases) {
      try {
        if ((await requireOwn(client, target, database)) === 'absent') continue;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        refused.push(error);
        continue;
      }
      await executeWithoutSessions(client, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)}`, {
        variant: target.server,
        database,
        terminate: true,
      });
      wasThere = true;
    }
  });
  if (refused[0]) throw refused[0];
  return wasThere;
}
