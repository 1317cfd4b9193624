import { UserError } from '../contract/errors.ts';
import type { Client } from './client.ts';
import type { Target } from './target.ts';

/**
 * What a database of a server is to pgduet: it has both halves of the mark, only the first one because its making was cut
 * off, or something else. `others` are never written to or dropped.
 */
export type Ownership = 'absent' | 'own' | 'unfinished' | 'others';

/**
 * First half of the mark: the limit of connections of each database that pgduet makes on a server of somebody's. No server
 * has as many, so it limits nothing; but unlike the comment it is there from the first moment.
 */
export const ownConnectionLimit = 1_886_217_332;

/** What CREATE DATABASE says besides the name and the template. */
export function optionsOfOwn({ service }: Target): string {
  return service === undefined ? '' : ` CONNECTION LIMIT ${ownConnectionLimit}`;
}

/** @param database of the target's server @param client connected to any database of that server */
async function ownershipOf(client: Client, { service }: Target, database: string): Promise<Ownership> {
  const { rows } = await client.query<{ comment: string | null; limit: number }>(
    `SELECT shobj_description(oid, 'pg_database') AS comment, datconnlimit AS limit
       FROM pg_database WHERE datname = $1`,
    [database],
  );
  const [found] = rows;
  if (!found) return 'absent';
  const { comment, limit } = found;
  if (service === undefined) return 'own';
  if (limit !== ownConnectionLimit) return 'others';
  return comment === null ? 'unfinished' : comment === service.mark ? 'own' : 'others';
}

/**
 * Whether the server has a database of this name. One that is unfinished is pgduet's only if a note says that it was about
 * to be made (places/existing/notes.ts).
 *
 * @throws {UserError} if it has one that pgduet did not make for this experiment
 */
export async function requireOwn(
  client: Client,
  target: Target,
  database: string,
): Promise<Exclude<Ownership, 'others'>> {
  const found = await ownershipOf(client, target, database);
  if (found !== 'others') return found;
  throw new UserError(
    `${target.server}: the database ${database} is there already, and pgduet did not make it for this experiment: its comment and its connection limit are not both those of pgduet. Rename or drop it yourself if nobody needs it. pgduet writes only to databases that it made.`,
  );
}

/** Says on the server that a new database is pgduet’s. */
export async function markOwn(client: Client, { service }: Target, database: string): Promise<void> {
  if (service === undefined) return;
  const { default: pg } = await import('pg');
  await client.query(`COMMENT ON DATABASE ${pg.escapeIdentifier(database)} IS ${pg.escapeLiteral(service.mark)}`);
}
