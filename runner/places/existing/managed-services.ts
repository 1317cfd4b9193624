/** A managed PostgreSQL of somebody, which shows by what only it has. */
interface Managed {
  name: string;
  /** SQL: whether it is this one. */
  shows: string;
  /** In which its agents work all the time. */
  agentDatabases?: readonly string[];
}

const hasFunction = (call: string): string => `to_regprocedure('pg_catalog.${call}') IS NOT NULL`;
const hasRole = (name: string): string => `EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}')`;
const hasSetting = (name: string): string => `current_setting('${name}', true) IS NOT NULL`;

/**
 * The first that shows is it: Aurora also has what RDS has.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Appendix.AuroraPostgreSQL.Functions.html
 * @see https://cloud.google.com/alloydb/docs/database-users/about
 * @see https://cloud.google.com/sql/docs/postgres/users
 * @see https://learn.microsoft.com/azure/postgresql/extensions/how-to-allow-extensions
 * @see https://neon.com/docs/manage/roles
 * @see https://supabase.com/docs/guides/database/postgres/roles
 */
const services = [
  { name: 'Amazon Aurora', shows: hasFunction('aurora_version()') },
  { name: 'Amazon RDS', shows: hasRole('rds_superuser'), agentDatabases: ['rdsadmin'] },
  { name: 'AlloyDB', shows: hasRole('alloydbsuperuser'), agentDatabases: ['alloydbadmin', 'alloydbmetadata'] },
  { name: 'Cloud SQL', shows: hasRole('cloudsqlsuperuser'), agentDatabases: ['cloudsqladmin'] },
  {
    name: 'Azure Database for PostgreSQL',
    shows: hasSetting('azure.extensions'),
    agentDatabases: ['azure_maintenance', 'azure_sys'],
  },
  { name: 'Neon', shows: hasRole('neon_superuser') },
  { name: 'Supabase', shows: hasRole('supabase_admin') },
] as const satisfies readonly Managed[];

export type ManagedService = (typeof services)[number]['name'];

/** SQL: the name of the service; null if it is none of these. */
export const managedService = `CASE ${services.map(({ name, shows }) => `WHEN ${shows} THEN '${name}'`).join(' ')} END`;

/** Databases of agents, which are part of the server, as its own processes are. */
export const agentDatabases: readonly string[] = services.flatMap((service: Managed) => service.agentDatabases ?? []);
