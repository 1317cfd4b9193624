/**
 * How to reach one database that can be measured. It holds no secret: the password is in the file that PGPASSFILE names.
 */
export interface Target {
  /** Name of the server (contract/server.ts). */
  server: string;
  host: string;
  port: number;
  user: string;
  database: string;
  /** Environment that a PostgreSQL client needs besides the address: PGPASSFILE, PGSSLMODE, PGSSLROOTCERT ... */
  environment: Record<string, string>;
}

/** Connections to a server that pgduet needs besides those of the load generator. */
export const ownConnections = 5;

/**
 * Environment of clients that are told of no mere notices: a server that sends one for each transaction, and a load generator
 * that prints it, would be measured with that. An experiment says otherwise by the parameter of a variant, or a script by SET.
 *
 * @param parameters that the experiment sets for the server
 */
export function quietClients(parameters: Readonly<Record<string, unknown>>): Target['environment'] {
  return 'client_min_messages' in parameters ? {} : { PGOPTIONS: '-c client_min_messages=warning' };
}
