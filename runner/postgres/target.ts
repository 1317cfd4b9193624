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
