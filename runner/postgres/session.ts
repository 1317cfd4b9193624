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
