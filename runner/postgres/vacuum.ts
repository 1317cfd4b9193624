import type { Client } from 'pg';

/**
 * Vacuums the tables that VACUUM without a table would, but only those that the user may vacuum. For each of the others,
 * dozens in every database, VACUUM would write a warning into the server's log.
 *
 * @see https://www.postgresql.org/docs/current/sql-vacuum.html for who may vacuum: the table's owner; the database's owner,
 *   except tables that all databases share; from version 17 on also who has MAINTAIN
 */
export async function vacuumPermitted(client: Client, { analyze = false } = {}): Promise<void> {
  // Temporary tables of other sessions cannot be vacuumed, and may soon be gone.
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
  if (tables !== null) await client.query(`VACUUM ${analyze ? '(ANALYZE) ' : ''}${tables}`);
}
