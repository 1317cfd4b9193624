import { randomBytes } from 'node:crypto';
import pg, { type Client } from 'pg';
import { procedures, tables } from './sizes.ts';

/**
 * HammerDB gives the role that builds its schema a password, by ALTER USER, if the role is there already; whether it does so
 * depends on its version. So the target's own user, which may be a superuser or the master user of RDS, must never be that
 * role. It is one of our own, for the build only, that owns nothing else.
 */
export const buildRole = 'pgduet_hammerdb_build';

const role = pg.escapeIdentifier(buildRole);

/**
 * Makes the role, as the owner of the database without the tables of an earlier build.
 *
 * @param hours after which nobody can log in with the role: a runner that is killed leaves it behind
 * @returns its password, which nobody else knows
 */
export async function makeBuildRole(client: Client, hours: number): Promise<string> {
  await removeBuildRole(client);
  await client.query(`DROP TABLE IF EXISTS ${tables.join(', ')} CASCADE`);
  await removeRoutines(client);
  const password = randomBytes(24).toString('hex');
  const until = new Date(Date.now() + hours * 3_600_000).toISOString();
  const database = await currentDatabase(client);
  await client.query(
    `CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)} VALID UNTIL ${pg.escapeLiteral(until)}`,
  );
  await client.query(`GRANT ${role} TO CURRENT_USER`);
  await client.query(`ALTER DATABASE ${database} OWNER TO ${role}`);
  return password;
}

/** Gives all that the role has built, and the database, to the user of this connection, and removes the role. */
export async function removeBuildRole(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [buildRole]);
  if (rowCount === 0) return;
  await client.query(`GRANT ${role} TO CURRENT_USER`);
  await client.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER`);
  await client.query(`DROP OWNED BY ${role}`);
  await client.query(`DROP ROLE ${role}`);
}

async function removeRoutines(client: Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('DROP ROUTINE %s', oid::regprocedure) AS statement FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($1)`,
    [[...procedures, 'dbms_random']],
  );
  for (const { statement } of rows) await client.query(statement);
}

async function currentDatabase(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
  return pg.escapeIdentifier(rows[0]?.name ?? '');
}
