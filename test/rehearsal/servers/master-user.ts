import pg from 'pg';
import { type Claims, makeClaims } from './claims.ts';
import type { Server } from './server.ts';

export interface MasterUser {
  user: string;
  password: string;
  databaseName: string;
}

/**
 * Makes the master user as RDS does: not a superuser, but a member of rds_superuser, and owner of the database. A statement
 * that needs a real superuser fails for this user here as it would on RDS.
 */
export async function makeMasterUser(
  server: Server,
  major: number,
  { user, password, databaseName, claims }: MasterUser & { claims?: Claims },
): Promise<void> {
  const [name, database] = [pg.escapeIdentifier(user), pg.escapeIdentifier(databaseName)];
  const roles = [
    ...['pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables', 'pg_signal_backend'],
    ...(major >= 15 ? ['pg_checkpoint'] : []),
  ];
  await server.query(`
    CREATE ROLE rds_superuser NOLOGIN;
    GRANT ${roles.join(', ')} TO rds_superuser WITH ADMIN OPTION;
    CREATE ROLE ${name} LOGIN CREATEDB CREATEROLE PASSWORD ${pg.escapeLiteral(password)};
    GRANT rds_superuser TO ${name}`);
  if (claims) await makeClaims(server, user, claims);
  await server.query(`CREATE DATABASE ${database} OWNER ${name}`);
  // On RDS the master user may make this extension. PostgreSQL lets only a superuser do it.
  await server.query('CREATE EXTENSION pg_prewarm', databaseName);
}

/** A restored database has the master user of its snapshot, and the password of its stack. */
export async function setPassword(server: Server, { user, password }: MasterUser): Promise<void> {
  await server.query(`ALTER ROLE ${pg.escapeIdentifier(user)} PASSWORD ${pg.escapeLiteral(password)}`);
}
