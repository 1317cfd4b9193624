import type { Client } from './client.ts';

/** Vacuums the tables that VACUUM without a table would, but only [those that the user may]{@link permittedTables}. */
export async function vacuumPermitted(client: Client, { analyze = false } = {}): Promise<void> {
  const tables = await permittedTables(client);
  if (tables !== null) await client.query(`VACUUM ${analyze ? '(ANALYZE) ' : ''}${tables}`);
}

/**
 * Makes the statistics that plans go by, of all tables that the user may analyze: an upgrade to another major version
 * leaves most of them behind.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.html
 */
export async function analyzePermitted(client: Client): Promise<void> {
  const tables = await permittedTables(client);
  if (tables !== null) await client.query(`ANALYZE ${tables}`);
}

/**
 * The tables that the user may vacuum and analyze; null if there are none. For each of the others (dozens in every
 * database), VACUUM would write a warning into the server's log. A partitioned table stands for its partitions, and has
 * statistics of its own.
 *
 * @see https://www.postgresql.org/docs/current/sql-vacuum.html for who may vacuum: the table's owner; the database's
 *   owner, except for tables that all databases share; from version 17 on, also a role with MAINTAIN
 */
async function permittedTables(client: Client): Promise<string | null> {
  // Leaves out temporary tables: those of other sessions cannot be vacuumed, and may soon be gone.
  const { rows } = await client.query<{ tables: string | null }>(
    `WITH permitted AS (
       SELECT c.oid, n.nspname, c.relname
         FROM pg_class c
         JOIN pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_database d ON d.datname = current_database()
        WHERE c.relkind IN ('r', 'm', 'p') AND c.relpersistence <> 't'
          AND (pg_has_role(c.relowner, 'USAGE')
            OR (pg_has_role(d.datdba, 'USAGE') AND NOT c.relisshared)
            OR CASE WHEN current_setting('server_version_num')::int >= 170000
                    THEN has_table_privilege(c.oid, 'MAINTAIN') END))
     SELECT string_agg(format('%I.%I', nspname, relname), ', ' ORDER BY oid) AS tables
       FROM permitted
      WHERE NOT EXISTS (SELECT FROM pg_partition_ancestors(permitted.oid) AS ancestor
                         WHERE ancestor.relid <> permitted.oid AND ancestor.relid IN (SELECT oid FROM permitted))`,
  );
  return rows[0]?.tables ?? null;
}
