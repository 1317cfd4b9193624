import { homedir } from 'node:os';
import path from 'node:path';
import { exists } from '../../files/look.ts';

/** Files that libpq reads in the home of its user, if no variable names another: by that variable. */
const filesAtHome: Readonly<Record<string, string>> = {
  PGSERVICEFILE: '.pg_service.conf',
  PGPASSFILE: '.pgpass',
  PGSSLROOTCERT: '.postgresql/root.crt',
  PGSSLCERT: '.postgresql/postgresql.crt',
  PGSSLKEY: '.postgresql/postgresql.key',
  PGSSLCRL: '.postgresql/root.crl',
};

/** Variables that say how a session works, and not how it reaches its server. They would change what is measured. */
const sessionVariables = [
  'PGOPTIONS',
  'PGAPPNAME',
  'PGDATABASE',
  'PGSERVICE',
  'PGDATESTYLE',
  'PGTZ',
  'PGGEQO',
  'PGCLIENTENCODING',
];

/**
 * The environment with which libpq connects as it does for this user: their own variables, and the files in their home,
 * which programs of the load do not have.
 */
export function libpqEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, file] of Object.entries(filesAtHome)) {
    const atHome = path.join(environment['HOME'] ?? homedir(), file);
    if (exists(atHome)) found[name] = atHome;
  }
  for (const [name, value] of Object.entries(environment)) {
    if (!/^PG[A-Z]/.test(name) || name.startsWith('PGDUET_') || sessionVariables.includes(name) || !value) continue;
    // Programs of the load run in other folders.
    found[name] = name in filesAtHome ? path.resolve(value) : value;
  }
  return found;
}
