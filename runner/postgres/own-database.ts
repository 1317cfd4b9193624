import { UserError } from '../contract/errors.ts';
import type { Client } from './client.ts';
import type { Target } from './target.ts';

/** What a database of a server is to pgduet. `others` are never written to or dropped. */
export type Ownership = 'absent' | 'own' | 'others';

/** @param database of the target's server @param client connected to any database of that server */
export async function ownershipOf(client: Client, { service }: Target, database: string): Promise<Ownership> {
  const { rows } = await client.query<{ comment: string | null }>(
    `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1`,
    [database],
  );
  const [found] = rows;
  if (!found) return 'absent';
  return service === undefined || found.comment === service.mark ? 'own' : 'others';
}

/** @throws {UserError} if the server has a database of this name that pgduet did not make */
export async function requireOwn(
  client: Client,
  target: Target,
  database: string,
): Promise<Exclude<Ownership, 'others'>> {
  const found = await ownershipOf(client, target, database);
  if (found !== 'others') return found;
  throw new UserError(
    `${target.server}: the database ${database} is there already, and pgduet did not make it: its comment is not pgduet’s. Rename or drop it yourself if nobody needs it. pgduet writes only to databases that it made.`,
  );
}

/** Says on the server that a new database is pgduet’s. */
export async function markOwn(client: Client, { service }: Target, database: string): Promise<void> {
  if (service === undefined) return;
  const { default: pg } = await import('pg');
  await client.query(`COMMENT ON DATABASE ${pg.escapeIdentifier(database)} IS ${pg.escapeLiteral(service.mark)}`);
}
