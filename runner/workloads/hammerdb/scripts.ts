import { UserError } from '../../contract/errors.ts';
import type { Target } from '../../postgres/target.ts';
import type { HammerdbWorkload } from './schema.ts';

/**
 * Tcl commands that say how to reach a target. They hold no password, because HammerDB prints what `diset` sets and
 * writes it to its disk. An empty password makes libpq read PGPASSFILE; in a connection string it is written as `''`.
 *
 * @param user who owns the tables, or will own them
 * @throws {UserError} if a name has characters that would break HammerDB's own scripts
 */
export function connectionCommands(target: Target, user: string = target.user): string[] {
  const { host, port, database } = target;
  for (const [what, value] of Object.entries({ host, user, database, 'user of the target': target.user })) {
    if (!/^[\w.:/-]+$/.test(value)) {
      throw new UserError(
        `${target.server}: HammerDB cannot work with the ${what} ${JSON.stringify(value)}; expected only letters, digits and _ . : / -.`,
      );
    }
  }
  return [
    // Lines must arrive at once: we look for errors while HammerDB runs.
    'fconfigure stdout -buffering line',
    'dbset db pg',
    'dbset bm TPC-C',
    `diset connection pg_host ${host}`,
    `diset connection pg_port ${port}`,
    `diset connection pg_sslmode ${target.environment['PGSSLMODE'] ?? 'prefer'}`,
    `diset tpcc pg_superuser ${target.user}`,
    `diset tpcc pg_defaultdbase ${database}`,
    `diset tpcc pg_user ${user}`,
    `diset tpcc pg_dbase ${database}`,
    noPassword('pg_superuserpass'),
    noPassword('pg_pass'),
  ];
}

function noPassword(key: string): string {
  return `dict set ::configpostgresql tpcc ${key} {''}`;
}

/** The text of a script from its commands. */
export function asScript(commands: readonly string[]): string {
  return [...commands, 'exit', ''].join('\n');
}

/** The script by which HammerDB checks that its schema is whole and consistent. */
export function checkScript(target: Target, { warehouses }: Pick<HammerdbWorkload, 'warehouses'>): string {
  return asScript([...connectionCommands(target), `diset tpcc pg_count_ware ${warehouses}`, 'checkschema']);
}

/** The script that shows the version, and loads the libraries of the databases. */
export const libraryScript = asScript(['fconfigure stdout -buffering line', 'librarycheck']);
