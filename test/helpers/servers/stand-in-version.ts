import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A wait event that no version has. */
export const newEvent = 'WalSyncInOneGo';

/**
 * A folder whose programs say that they are PostgreSQL of a major version after 18, and are those of 15. A server that
 * its initdb makes says so, too, and its views have the columns and the names of events of 19. A client that sleeps is
 * shown as one that waits for a flush of WAL, which from 20 on has a name of its own.
 */
export function standInVersion(folder: string, programs: string, major: number): string {
  mkdirSync(folder);
  for (const name of readdirSync(programs)) {
    const real = path.join(programs, name);
    if (!['postgres', 'initdb', 'pgbench', 'psql'].includes(name)) symlinkSync(real, path.join(folder, name));
    else write(path.join(folder, name), scriptOf(name, real, path.join(folder, 'catalogue.sql'), major));
  }
  writeFileSync(path.join(folder, 'catalogue.sql'), catalogueOf(major), { mode: 0o644 });
  chmodSync(folder, 0o755);
  return folder;
}

function write(file: string, lines: readonly string[]): void {
  writeFileSync(file, `${['#!/bin/sh', ...lines].join('\n')}\n`, { mode: 0o755 });
}

function scriptOf(name: string, real: string, catalogue: string, major: number): string[] {
  const version = `[ "$1" = --version ] && echo '${name} (PostgreSQL) ${major}.0' && exit 0`;
  if (name !== 'initdb') return [version, `exec '${real}' "$@"`];
  const single = path.join(path.dirname(real), 'postgres');
  return [
    version,
    `'${real}' "$@" || exit 1`,
    'for word; do [ "$before" = -D ] && data=$word; case $word in --pgdata=*) data=${word#--pgdata=};; esac; before=$word; done',
    `for database in template1 postgres; do '${single}' --single -O -D "$data" $database < '${catalogue}' > /dev/null || exit 1; done`,
  ];
}

/** A statement a line, as a server in single-user mode reads them. */
function catalogueOf(major: number): string {
  const flush = major >= 20 ? newEvent : 'WalSync';
  const type = "CASE wait_event WHEN 'BufferContent' THEN 'Buffer' WHEN 'PgSleep' THEN 'IO' ELSE wait_event_type END";
  const event = `CASE wait_event WHEN 'BufferContent' THEN 'BufferExclusive' WHEN 'PgSleep' THEN '${flush}' ELSE wait_event END`;
  const others =
    'datid, datname, pid, leader_pid, usesysid, usename, application_name, client_addr, client_hostname, client_port, backend_start, xact_start, query_start, state_change, state, backend_xid, backend_xmin, query_id, query, backend_type';
  const ioOf = (object: string, of: { writes: string; syncs: string; writeTime: string; syncTime: string }): string =>
    `SELECT 'client backend'::text AS backend_type, '${object}'::text AS object, 'normal'::text AS context, 0::bigint AS reads, 0::float8 AS read_time, (${of.writes})::bigint AS writes, (${of.writes} * 8192)::numeric AS write_bytes, (${of.writeTime})::float8 AS write_time, 0::bigint AS extends, (${of.syncs})::bigint AS fsyncs, (${of.syncTime})::float8 AS fsync_time, stats_reset`;
  const none = { syncs: '0', writeTime: '0', syncTime: '0' };
  const walColumns = {
    writes: 'wal_write',
    syncs: 'wal_sync',
    writeTime: 'wal_write_time',
    syncTime: 'wal_sync_time',
  };
  return [
    "UPDATE pg_proc SET proname = 'current_setting_15' WHERE oid = 'pg_catalog.current_setting(text)'::regprocedure",
    `CREATE FUNCTION pg_catalog.current_setting(text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT CASE $1 WHEN 'server_version' THEN '${major}.0' WHEN 'server_version_num' THEN '${major}0000' ELSE pg_catalog.current_setting_15($1) END $$`,
    'ALTER VIEW pg_catalog.pg_stat_activity RENAME TO pg_stat_activity_15',
    `CREATE VIEW pg_catalog.pg_stat_activity AS SELECT ${others}, ${type} AS wait_event_type, ${event} AS wait_event FROM pg_catalog.pg_stat_activity_15`,
    'ALTER VIEW pg_catalog.pg_stat_wal RENAME TO pg_stat_wal_15',
    'CREATE VIEW pg_catalog.pg_stat_wal AS SELECT wal_records, wal_fpi, wal_bytes, wal_fpi * 8192::numeric AS wal_fpi_bytes, wal_buffers_full, stats_reset FROM pg_catalog.pg_stat_wal_15',
    'ALTER VIEW pg_catalog.pg_stat_bgwriter RENAME TO pg_stat_bgwriter_15',
    'CREATE VIEW pg_catalog.pg_stat_bgwriter AS SELECT buffers_clean, maxwritten_clean, buffers_alloc, stats_reset FROM pg_catalog.pg_stat_bgwriter_15',
    'CREATE VIEW pg_catalog.pg_stat_checkpointer AS SELECT checkpoints_timed AS num_timed, checkpoints_req AS num_requested, checkpoint_write_time AS write_time, checkpoint_sync_time AS sync_time, buffers_checkpoint AS buffers_written, stats_reset FROM pg_catalog.pg_stat_bgwriter_15',
    `CREATE VIEW pg_catalog.pg_stat_io AS ${ioOf('wal', walColumns)} FROM pg_catalog.pg_stat_wal_15 UNION ALL ${ioOf('relation', { ...none, writes: 'buffers_backend' })} FROM pg_catalog.pg_stat_bgwriter_15`,
    ...['activity', 'wal', 'bgwriter', 'checkpointer', 'io'].map(
      (view) => `GRANT SELECT ON pg_catalog.pg_stat_${view} TO PUBLIC`,
    ),
  ]
    .map((statement) => `${statement}\n`)
    .join('');
}
