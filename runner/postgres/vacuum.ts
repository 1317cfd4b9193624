import type { Client } from 'pg';

/**
 * Vacuums what VACUUM without a table would, but asks for no table that the user may not vacuum: for each of those,
 * dozens in every database, it would write a warning into the server's log.
 *
 * @see https://www.postgresql.org/docs/current/sql-vacuum.html the privileges: of the table's owner, of the database's
 *   owner but for tables that all databases share, and from version 17 on of who has MAINTAIN
 */
export async function vacuumPermitted(client: Client): Promise<void> {
  // Other sessions' temporary tables cannot be vacuumed, and may be gone by then.
  const { rows } = await client.query<{ tables: string | null }>(
    `SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ' ORDER BY c.oid) AS tables
       FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_database d ON d.datname = current_database()
      WHERE c.relkind IN ('r', 'm') AND c.relpersistence <> 't'
        AND (pg_has_role(c.relowner, 'USAGE')
          OR (pg_has_role(d.datdba, 'USAGE') AND NOT c.relisshared)
          OR CASE WHEN current_setting('server_version_num')::int >= 170000
                  THEN has_table_privilege(c.oid, 'MAINTAIN') END)`,
  );
  const tables = rows[0]?.tables ?? null;
  if (tables !== null) await client.query(`VACUUM ${tables}`);
}
