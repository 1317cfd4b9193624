/**
 * How to reach one database that can be measured. It contains no secret: the password is in the file that PGPASSFILE
 * names.
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
  /** Where the load connects instead, if a pooler is before the server. It has as many sessions on the server. */
  pooler?: {
    host: string;
    port: number;
    size: number;
    /** In place of that of the server. @default the same */
    environment?: Record<string, string>;
  };
  /** Absent if pgduet made the server, or had it made, and so knows its whole address. */
  service?: Service;
}

/** A server that was there before pgduet, which only libpq knows how to reach, and of which pgduet owns one database. */
export interface Service {
  /** In pg_service.conf. */
  name: string;
  /** Folder of the client programs that connect. */
  programs: string;
  /** The service's own database, in which pgduet works outside the load. */
  home: string;
  /** Options of libpq that give every session the parameters of the variant; absent without parameters. */
  options?: string;
  /** Comment of a database that pgduet made on the server. It drops no other. */
  mark: string;
  /** Limit of connections of a database that pgduet makes on the server: its mark before it has the comment. */
  limit: number;
}

/** The target as the load reaches it: by its pooler, if there is one. */
export function throughPooler(target: Target): Target {
  const { pooler } = target;
  if (!pooler) return target;
  const { host, port, environment = target.environment } = pooler;
  return { ...target, host, port, environment };
}

/** Whether a server is on the machine of the load, perhaps in a container. A path, or no host, is a socket. */
export function isOnThisMachine({ host }: Pick<Target, 'host'>): boolean {
  return host === '' || host === 'localhost' || host.startsWith('127.') || host === '::1' || host.startsWith('/');
}

/** A target that only libpq knows how to reach. */
export type ServiceTarget = Target & Required<Pick<Target, 'service'>>;

export function isByService(target: Target): target is ServiceTarget {
  return target.service !== undefined;
}

/** Connections to a server that pgduet needs besides those of the load generator. */
export const ownConnections = 5;

/**
 * Environment for clients without mere notices. Otherwise, a server that sends a notice for each transaction, and a
 * load generator that prints it, would be measured together with that. An experiment can change this with a variant's
 * parameter, and a script with SET.
 *
 * @param parameters that the experiment sets for the server
 */
export function quietClients(parameters: Readonly<Record<string, unknown>>): Target['environment'] {
  return 'client_min_messages' in parameters ? {} : { PGOPTIONS: '-c client_min_messages=warning' };
}

/** Options of libpq (PGOPTIONS) that set these parameters for a session. */
export function sessionOptions(parameters: readonly (readonly [name: string, value: string])[]): string {
  return parameters.map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`).join(' ');
}

/**
 * After a failover or a power loss, a server may vanish silently. By default, Linux would notice after two hours. With
 * these values, a client notices after about a minute. After 20 s of silence, it sends three probes, 10 s apart. Data
 * that it has sent must be acknowledged within 60 s.
 */
export const keepAlive = { idleSeconds: 20, intervalSeconds: 10, count: 3, unacknowledgedSeconds: 60 } as const;

/** Seconds in which a session of ours must be connected. */
export const connectSeconds = 10;

/** Seconds in which a short query of ours must be answered. */
export const answerSeconds = 60;

/**
 * During long work on a server, how often to ask whether it still answers, and how long it may leave that unanswered.
 */
export const [askEverySeconds, silentSeconds] = [30, 120];

/** Name of the load's connections in the server's views. */
export const loadApplication = 'pgduet load';

/**
 * The argument that names the database to the load generator and psql: a libpq connection string with address, user,
 * name and keepalive, for which libpq has no environment variables. It contains no password.
 */
export function connectionString(
  { host, port, user, database, service }: Target,
  application = loadApplication,
): string {
  const keywords = {
    // Programs of the load may run as another user of this machine, which would be the role if the service names none.
    ...(service === undefined ? { host, port } : { service: service.name }),
    user,
    dbname: database,
    application_name: application,
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

/** A client's connection, as the server reports it. */
export interface Session {
  pid: number;
  user: string;
  /** null if our role may not see it. */
  application: string | null;
  /** null if our role may not see it, or if the session uses a socket. */
  address: string | null;
}

/** The columns of pg_stat_activity that make a session. */
export const sessionColumns = `pid, usename AS "user", application_name AS application, host(client_addr) AS address`;

/** The same server by another database of it: what we do there is no work of the load, and resets do not touch it. */
export function outsideLoad<T extends Target>(target: T): T {
  return { ...target, database: target.service?.home ?? 'postgres' };
}
