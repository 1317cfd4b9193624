import { expect, it } from 'vitest';
import type { ManagedService } from '../../runner/places/existing/managed-services.ts';
import { clusterForTest } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';
import { oneBlock, tinyRun } from '../helpers/processes/tiny-run.ts';

/** What is done to a server of ours so that it shows, refuses and lacks what another one does. */
interface Fixture {
  parameters?: Record<string, string>;
  sql?: readonly string[];
  /** Views that it does not have. */
  without?: readonly string[];
  /** Functions that it does not support, with their type. */
  unsupported?: Readonly<Record<string, string>>;
  /** Functions that it keeps from the role. */
  kept?: readonly string[];
  /** Sources that then have nothing, or not all. */
  absent: readonly string[];
  rights?: string;
}

const lsn = { 'pg_current_wal_lsn()': 'pg_lsn', 'pg_current_wal_insert_lsn()': 'pg_lsn', 'pg_switch_wal()': 'pg_lsn' };
const fixtures: Record<ManagedService | 'ordinary', Fixture> = {
  'Amazon Aurora': {
    parameters: { 'rds.extensions': 'pg_stat_statements' },
    sql: [
      'CREATE ROLE rds_superuser',
      "CREATE FUNCTION pg_catalog.aurora_version() RETURNS text LANGUAGE sql AS $$ SELECT '15.4' $$",
    ],
    without: ['pg_stat_wal'],
    unsupported: lsn,
    absent: ['wal', 'wal-rate', 'replication', 'debt', 'wait-events'],
  },
  'Amazon RDS': {
    parameters: { 'rds.extensions': 'pg_stat_statements' },
    sql: ['CREATE ROLE rds_superuser'],
    kept: ['pg_control_checkpoint()'],
    absent: ['debt', 'wait-events'],
  },
  AlloyDB: {
    sql: ['CREATE ROLE alloydbsuperuser', 'CREATE ROLE cloudsqlsuperuser'],
    kept: ['pg_current_wal_insert_lsn()', 'pg_stat_get_bgwriter_buf_written_clean()'],
    absent: ['wal-rate', 'checkpoints', 'debt', 'wait-events'],
  },
  'Cloud SQL': {
    sql: ['CREATE ROLE cloudsqlsuperuser'],
    kept: ['pg_control_checkpoint()'],
    absent: ['debt', 'wait-events'],
  },
  'Azure Database for PostgreSQL': {
    parameters: { 'azure.extensions': 'pg_buffercache' },
    sql: ['CREATE ROLE azure_pg_admin'],
    kept: ['pg_stat_get_wal()', 'pg_postmaster_start_time()'],
    absent: ['server-start', 'commits', 'database', 'wal', 'checkpoints', 'wait-events'],
  },
  Neon: {
    sql: ['CREATE ROLE neon_superuser'],
    without: ['pg_stat_bgwriter', 'pg_stat_replication'],
    unsupported: lsn,
    absent: ['checkpoints', 'wal-rate', 'replication', 'debt', 'wait-events'],
  },
  Supabase: { sql: ['CREATE ROLE supabase_admin'], absent: ['wait-events'] },
  ordinary: { rights: 'CREATEDB IN ROLE pg_monitor', absent: [] },
};

const services = new Services();

/** A server like that, and a service with its name. */
async function serverLike(name: keyof typeof fixtures): Promise<string> {
  const { parameters = {}, sql = [], without = [], unsupported = {}, kept = [], rights } = fixtures[name];
  const service = name.toLowerCase().replaceAll(' ', '-');
  const cluster = await clusterForTest(parameters);
  await services.addRole(service, cluster, {}, rights);
  for (const statement of sql.filter((one) => one.includes('ROLE'))) await queryOn(cluster.target, statement);
  const inEach = [
    'SET allow_system_table_mods = on',
    ...sql.filter((one) => !one.includes('ROLE')),
    ...without.map((view) => `DROP VIEW pg_catalog.${view}`),
    // The server calls a function of its own by its number, whatever is in the catalogue: another one takes its name.
    ...Object.entries(unsupported).flatMap(([call, type]) => [
      `UPDATE pg_proc SET proname = 'own_' || proname WHERE oid = 'pg_catalog.${call}'::regprocedure`,
      `CREATE FUNCTION pg_catalog.${call} RETURNS ${type} LANGUAGE plpgsql AS $$ BEGIN RAISE '${call} is not supported' USING ERRCODE = '0A000'; END $$`,
    ]),
    ...kept.map((call) => `REVOKE EXECUTE ON FUNCTION pg_catalog.${call} FROM PUBLIC`),
  ].join(';\n');
  // Databases are copies of template1.
  for (const database of ['postgres', 'template1']) await queryOn({ ...cluster.target, database }, inEach);
  return service;
}

it.each([
  ['Amazon Aurora', 'Amazon RDS'],
  ['AlloyDB', 'Cloud SQL'],
  ['Azure Database for PostgreSQL', 'Neon'],
  ['Supabase', 'ordinary'],
] as const)('%s and %s are named and measured, and what they do not show is said', async (...both) => {
  const tiny = tinyRun();
  tiny.define(oneBlock);
  const named = [await serverLike(both[0]), await serverLike(both[1])];
  const args = ['load-run', 'tiny', '--servers', named.join(','), '--allow-activity'];
  const { exitCode, stderr } = await tiny.runAs({ environment: services.environment }, ...args).ended;
  expect(exitCode, stderr).toBe(0);
  const { place, trials } = tiny.result();
  for (const [index, name] of both.entries()) {
    const { absent, rights = '' } = fixtures[name];
    if (name !== 'ordinary') expect(place.description).toContain(`(${name})`);
    const trial = trials.find(({ conditions }) => conditions.variant === named[index]);
    expect(trial).toMatchObject({ state: 'finished', measures: { transactions: expect.any(Number) as number } });
    const found = Object.keys(trial?.facts.absent ?? {});
    expect(found).toEqual(expect.arrayContaining([...absent]));
    const hidden = !rights.includes('pg_monitor');
    expect(trial?.measures['waits.vacuums']).toEqual(hidden ? null : expect.any(Number));
    const own = place.caveats.filter((text) => text.startsWith(`${named[index]}: `));
    expect(own.join(' ').split('GRANT pg_monitor TO')).toHaveLength(hidden ? 2 : 1);
  }
});
