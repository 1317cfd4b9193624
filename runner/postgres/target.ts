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

/**
 * After a failover or a power loss, a server may vanish without a word. By default, Linux would notice after two hours. With these,
 * a client notices after about a minute: after 20 s of silence it asks three times, every 10 s; and what it has sent must be
 * acknowledged within 60 s.
 */
export const keepAlive = { idleSeconds: 20, intervalSeconds: 10, count: 3, unacknowledgedSeconds: 60 } as const;

/** Seconds in which a short query of ours must be answered. */
export const answerSeconds = 60;

/** While a server does what takes long for us, it is asked this often, and may leave questions unanswered for so long. */
export const [askEverySeconds, silentSeconds] = [30, 120];

/** Name of the load's connections in the server's views. */
export const loadApplication = 'pgduet load';

/**
 * The argument that names the database to the load generator and psql: address, user, name and keepalive, as a connection string of libpq, which
 * has no environment variables for keepalive. It holds no password.
 */
export function connectionString({ host, port, user, database }: Target): string {
  const keywords = {
    host,
    port,
    user,
    dbname: database,
    application_name: loadApplication,
    keepalives: 1,
    keepalives_idle: keepAlive.idleSeconds,
    keepalives_interval: keepAlive.intervalSeconds,
    keepalives_count: keepAlive.count,
    tcp_user_timeout: keepAlive.unacknowledgedSeconds * 1000,
  };
  return Object.entries(keywords)
    .map(([name, value]) => `${name}='${String(value).replace(/[\\']/g, '\\$&')}'`)
    .join(' ');
}

/** A connection of a client, as the server tells of it. */
export interface Session {
  pid: number;
  user: string;
  /** null if our user may not see it. */
  application: string | null;
  /** null if our user may not see it, or if the session uses a socket. */
  address: string | null;
}

/** The columns of pg_stat_activity that make a session. */
export const sessionColumns = `pid, usename AS "user", application_name AS application, host(client_addr) AS address`;
