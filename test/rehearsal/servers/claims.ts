import pg from 'pg';
import type { Server } from './server.ts';

/**
 * What a server says of itself instead of what is so, because this machine has only one version of PostgreSQL, and less memory
 * than a database of RDS. Everything else that it says is true.
 */
export interface Claims {
  /** Version as RDS was asked for, such as `16.15`. */
  version: string;
  /** Values of pg_settings by name, such as shared_buffers of 124 GiB. */
  parameters: Record<string, string>;
}

const schema = 'rehearsal';

/**
 * Makes the server claim this to one user, in all databases that are made from now on: a function and a view of PostgreSQL
 * come after those of a schema of ours in the search path of the user.
 */
export async function makeClaims(server: Server, user: string, { version, parameters }: Claims): Promise<void> {
  const values = Object.entries(parameters).map((pair) => `(${pair.map((text) => pg.escapeLiteral(text)).join(', ')})`);
  const claimed = values.length > 0 ? `VALUES ${values.join(', ')}` : 'SELECT NULL::text, NULL::text WHERE false';
  const statements = `
    CREATE SCHEMA ${schema};
    GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;
    CREATE FUNCTION ${schema}.current_setting(text) RETURNS text STABLE LANGUAGE sql AS $$
      SELECT CASE $1 WHEN 'server_version' THEN ${pg.escapeLiteral(version)} ELSE pg_catalog.current_setting($1) END
    $$;
    CREATE VIEW ${schema}.pg_settings AS
      SELECT name, coalesce(claimed.value, setting) AS setting, coalesce(claimed.value, reset_val) AS reset_val,
             unit, vartype, source, boot_val, pending_restart
        FROM pg_catalog.pg_settings LEFT JOIN (${claimed}) AS claimed (name, value) USING (name);
    GRANT SELECT ON ${schema}.pg_settings TO PUBLIC;
    -- Members of an extension are no contents of a database, in which servers must not differ.
    ALTER EXTENSION plpgsql ADD FUNCTION ${schema}.current_setting(text);
    ALTER EXTENSION plpgsql ADD VIEW ${schema}.pg_settings`;
  for (const database of ['template1', 'postgres']) await server.query(statements, database);
  await server.query(`ALTER ROLE ${pg.escapeIdentifier(user)} SET search_path = public, ${schema}, pg_catalog`);
}
