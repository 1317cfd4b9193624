import { createHash, randomInt } from 'node:crypto';
import { UserError } from '../contract/errors.ts';
import type { Client } from './client.ts';
import type { Target } from './target.ts';

/**
 * What a database of a server is to pgduet: it has both halves of the mark, only the first one because its making was cut
 * off, or something else. `others` are never written to or dropped.
 */
export type Ownership = 'absent' | 'own' | 'unfinished' | 'others';

/** The name of the copy of a database ends with it. */
export const copyEnding = '_loaded';

/**
 * First half of the mark: the limit of connections of each database that pgduet makes on a server of somebody's. No server
 * has as many, so it limits nothing; but unlike the comment it is there from the first moment. A note has the one that was
 * drawn for a database (places/existing/notes.ts), so one whose making was cut off is told from any other.
 */
export const minOwnLimit = 1_000_000_000;

/** Highest limit that PostgreSQL keeps. */
const maxLimit = 2 ** 31 - 1;

export function drawOwnLimit(): number {
  return randomInt(minOwnLimit, maxLimit);
}

/** What CREATE DATABASE says besides the name and the template. */
export function optionsOfOwn({ service }: Target): string {
  return service === undefined ? '' : ` CONNECTION LIMIT ${service.limit}`;
}

/** PostgreSQL keeps no more bytes of a name, and the name of a copy has an ending. */
const maxNameBytes = 63 - copyEnding.length;

/**
 * The name of the database that pgduet makes for an experiment.
 *
 * @param variant whose database it is, if several are on one server
 */
export function nameOfOwn(experiment: string, variant?: string): string {
  // Both have letters, digits and single hyphens: so the name is never that of another experiment's database or copy.
  const whole = ['pgduet', experiment, ...(variant === undefined ? [] : [variant])].join('_');
  if (whole.length <= maxNameBytes) return whole;
  const sum = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, maxNameBytes - sum.length - 1)}_${sum}`;
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
  if (limit !== service.limit) return 'others';
  return comment === null ? 'unfinished' : comment === service.mark ? 'own' : 'others';
}

/**
 * Whether the server has a database of this name.
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
    `${target.server}: the database ${database} is there already, and pgduet did not make it for this experiment: its comment and its connection limit are not both those of pgduet. Wait if another run is making it now. Rename it, or drop it if it is not needed. pgduet writes only to databases that it made.`,
  );
}

/** Says on the server that a new database is pgduet’s. */
export async function markOwn(client: Client, { service }: Target, database: string): Promise<void> {
  if (service === undefined) return;
  const { default: pg } = await import('pg');
  await client.query(`COMMENT ON DATABASE ${pg.escapeIdentifier(database)} IS ${pg.escapeLiteral(service.mark)}`);
}
