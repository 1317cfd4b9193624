/** One database that can be measured: how to reach it. Holds no secret: the password is in the file that PGPASSFILE names. */
export interface Target {
  variant: string;
  host: string;
  port: number;
  user: string;
  database: string;
  /** What a PostgreSQL client needs in its environment beside the address: PGPASSFILE, PGSSLMODE, PGSSLROOTCERT ... */
  environment: Record<string, string>;
}
