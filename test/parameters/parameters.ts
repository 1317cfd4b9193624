import type { Draw } from '../faults/draw.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import type { LocalCluster } from '../helpers/servers/local-cluster.ts';

/** A parameter as pg_settings of the installed server shows it. */
export interface Shown {
  name: string;
  type: string;
  unit: string | null;
  context: string;
  values: readonly string[] | null;
  min: string | null;
  max: string | null;
  setting: string | null;
}

/** One parameter with a value that is not the one of the other side. */
export interface Drawn {
  name: string;
  value: string | number | boolean;
}

/** What changes what views say, or what sessions see: all of these are drawn before any other. */
const telling =
  /^(track_|stats_|log_|compute_|pg_stat_statements\.|auto_explain\.|default_transaction_|idle_|lc_|.*_preload_libraries$|backtrace|trace_|debug_)|_timeout$|^(search_path|client_min_messages|datestyle|intervalstyle|extra_float_digits|bytea_output|timezone|timezone_abbreviations|row_security|update_process_title|cluster_name|event_source|syslog_.*|escape_string_warning|quote_all_identifiers|transform_null_equals|jit.*|force_parallel_mode)$/i;

/** Values that pg_settings does not list, such as those of texts. */
const texts: Readonly<Record<string, readonly string[]>> = {
  search_path: ['pg_catalog, public', 'pg_temp, public', 'nosuch', '', '"$user", pg_catalog, public', 'pg_catalog'],
  session_preload_libraries: ['nosuch', 'auto_explain', 'pg_stat_statements'],
  local_preload_libraries: ['nosuch'],
  shared_preload_libraries: ['nosuch', 'auto_explain', 'auto_explain, pg_stat_statements', ''],
  log_line_prefix: ['', '%s ', '%t [%p] ', '%n ', '%q%u ', '%% %m ', 'LOG: '],
  log_destination: ['stderr', 'csvlog', 'jsonlog', 'stderr,csvlog', 'syslog'],
  log_filename: ['%m.log'],
  log_directory: ['elsewhere'],
  log_timezone: ['Europe/Berlin', 'GMT', 'America/Sao_Paulo'],
  timezone: ['Asia/Kathmandu', 'America/St_Johns'],
  timezone_abbreviations: ['India', 'Australia'],
  datestyle: ['SQL, DMY', 'German', 'Postgres, YMD'],
  lc_messages: ['C', 'C.UTF-8', 'POSIX', 'de_DE.UTF-8'],
  lc_monetary: ['C.UTF-8'],
  lc_numeric: ['C.UTF-8'],
  lc_time: ['C.UTF-8'],
  cluster_name: ['LOG:', 'pgduet load'],
  event_source: ['other'],
  syslog_ident: ['other'],
  backtrace_functions: ['errstart'],
  default_tablespace: ['pg_default', 'nosuch'],
  temp_tablespaces: ['pg_default', 'nosuch'],
  default_table_access_method: ['heap', 'nosuch'],
  default_text_search_config: ['pg_catalog.german'],
  wal_consistency_checking: ['heap', 'all'],
  synchronous_standby_names: ['', 'nosuch'],
  createrole_self_grant: ['set'],
  application_name: ['other'],
  client_encoding: ['LATIN1'],
  unix_socket_group: [''],
  ssl_ciphers: ['HIGH'],
  restart_after_crash: ['off'],
};

/** Servers with these do what nobody asked of them: crash, wait for ever, or keep nothing. The lab leaves them alone. */
const leftOut =
  /^(port|listen_addresses|unix_socket_directories|data_directory|hba_file|config_file|ident_file|external_pid_file|ssl.*|krb.*|archive_.*|restore_command|recovery_.*|primary_.*|promote_trigger_file|zero_damaged_pages|ignore_.*|allow_.*|data_sync_retry|dynamic_library_path|jit_provider|huge_page.*|lc_collate|lc_ctype|transaction_(isolation|read_only|deferrable)|role|session_authorization|seed|is_superuser|in_hot_standby|wal_segment_size)$/i;

/** Every parameter of the server that may be drawn, with those of the extensions that it brings. */
export function readParameters(cluster: LocalCluster): Promise<Shown[]> {
  return withConnection(cluster.target, async (client) => {
    await client.query("LOAD 'auto_explain'");
    const { rows } = await client.query<Shown>(
      `SELECT name, vartype AS type, unit, context, enumvals AS values, min_val AS min, max_val AS max, reset_val AS setting
        FROM pg_settings WHERE context <> 'internal' ORDER BY name`,
    );
    return rows.filter(({ name }) => !leftOut.test(name)).map((one) => ({ ...one, name: one.name.toLowerCase() }));
  });
}

/** So many parameters with values, the telling ones first; the same one may come again with another value. */
export function drawParameters(shown: readonly Shown[], count: number, draw: Draw): Drawn[] {
  const [first, others] = [true, false].map((wanted) => shown.filter(({ name }) => telling.test(name) === wanted));
  const inOrder = [...draw.shuffled(first ?? []), ...draw.shuffled(others ?? [])];
  const drawn = new Map<string, Drawn>();
  for (let round = 0; drawn.size < count && round < 20; round += 1) {
    for (const one of inOrder) {
      if (drawn.size === count) break;
      const value = valueOf(one, draw);
      if (value !== null) drawn.set(`${one.name}=${value}`, { name: one.name, value });
    }
  }
  return [...drawn.values()];
}

function valueOf({ name, type, values, min, max, setting }: Shown, draw: Draw): Drawn['value'] | null {
  const other = <T>(from: readonly T[]): T | null => {
    const left = from.filter((one) => String(one) !== setting);
    return left.length === 0 ? null : draw.pick(left);
  };
  switch (type) {
    case 'bool':
      return setting !== 'on';
    case 'enum':
      return other(values ?? []);
    case 'integer':
    case 'real': {
      const [low, high, now] = [Number(min), Number(max), Number(setting)];
      const between = [now * 2, Math.floor(now / 2), now + 1].filter((one) => one >= low && one <= high);
      // The largest sizes and numbers take more memory than this machine has.
      return other([low, ...between, ...(isBounded(name) ? [] : [high])]);
    }
    default:
      return other(texts[name.toLowerCase()] ?? []);
  }
}

function isBounded(name: string): boolean {
  return /(^max_|buffers|work_mem|_size$|workers|connections|_segments|_limit$|pg_stat_statements\.max)/.test(name);
}

/** What ends or refuses sessions, so that nothing is seen of other parameters beside it. */
const alone =
  /(^(statement|idle_\w+|transaction)_timeout|_preload_libraries|^search_path|^default_transaction_read_only|^default_table|_tablespaces?|^synchronous_standby|^max_wal_senders|^wal_level|^superuser_reserved|^max_connections|^m(in|ax)_wal_size)$/i;

/** Groups of parameters for one run each. */
export function grouped(drawn: readonly Drawn[], size: number): Drawn[][] {
  const groups: Drawn[][] = [];
  for (const one of drawn) {
    const open = groups.find(
      (group) =>
        group.length < size &&
        !group.some(({ name }) => name === one.name || alone.test(name)) &&
        !alone.test(one.name),
    );
    if (open) open.push(one);
    else groups.push([one]);
  }
  return groups;
}
