import type { Target } from './target.ts';

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
