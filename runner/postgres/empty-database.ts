import pg from 'pg';
import { withConnection } from './connect.ts';
import { executeWithoutSessions } from './database-sessions.ts';
import type { Target } from './target.ts';

/**
 * Replaces the target's database with an empty one.
 *
 * @throws {UserError} if a session that our role may not end stays in the database
 */
export async function emptyDatabase(target: Target, signal: AbortSignal): Promise<void> {
  await inPostgres(target, signal, async (client, database) => {
    await executeWithoutSessions(client, `DROP DATABASE IF EXISTS ${database}`, {
      variant: target.server,
      database: target.database,
      terminate: true,
    });
    await client.query(`CREATE DATABASE ${database}`);
  });
}

/** Makes the target's database if it does not exist: an earlier start was cut off while replacing it. */
export async function completeEmptying(target: Target, signal: AbortSignal): Promise<void> {
  await inPostgres(target, signal, async (client, database) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [target.database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  });
}

function inPostgres(
  target: Target,
  signal: AbortSignal,
  work: (client: pg.Client, database: string) => Promise<void>,
): Promise<void> {
  const use = (client: pg.Client): Promise<void> => work(client, pg.escapeIdentifier(target.database));
  return withConnection({ ...target, database: 'postgres' }, use, signal, { long: true });
}
