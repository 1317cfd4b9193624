import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { readPart } from '../../files/read.ts';
import { trackedSuffix } from '../../process/tracked-process.ts';
import type { ServerUser } from '../../process/rights.ts';
import type { PoolerRequest } from './pooler-program.ts';
import { walSegmentSize } from './parameters.ts';

export interface ClusterRequest {
  variant: string;
  /** Folder for the data. It exists, belongs to the server's user, and is empty. */
  dataFolder: string;
  /** The same for the WAL; null to keep the WAL with the data. */
  walFolder: string | null;
  /** Folder for everything that is neither data nor WAL: password file, socket, server log. */
  folder: string;
  parameters: Record<string, ParameterValue>;
  /** Servers that receive its WAL. A commit returns when one of them has it. @default none */
  standbys?: readonly StandbyRequest[];
  /** PgBouncer before the server, for the load. @default none */
  pooler?: PoolerRequest;
}

export interface StandbyRequest {
  /** `standby1` or `standby2`. */
  name: string;
  /** Folder for its data and WAL, prepared like that of the primary. */
  dataFolder: string;
}

export type OwnFiles = ReturnType<typeof ownFiles>;

/**
 * The files of a cluster that pgduet writes. They are beside the folders of the server's user, never in them: a process
 * of that user could put a symbolic link there, and pgduet, which may run as root, would write through it.
 */
export function ownFiles({ folder, variant }: Pick<ClusterRequest, 'folder' | 'variant'>) {
  const parent = path.dirname(folder);
  const settings = path.join(parent, `${variant}.settings`);
  return {
    settings,
    configuration: path.join(settings, 'pgduet.conf'),
    access: path.join(settings, 'pg_hba.conf'),
    serverLog: path.join(parent, `${variant}.log`),
    passwordFile: path.join(parent, `${variant}.pgpass`),
    processNote: path.join(parent, `${variant}${trackedSuffix}`),
    initialPassword: path.join(parent, `${variant}.initial-password`),
    poolerConfiguration: path.join(settings, 'pgbouncer.ini'),
    poolerUsers: path.join(settings, 'pgbouncer-users.txt'),
    poolerLog: path.join(parent, `${variant}.pooler.log`),
    poolerNote: path.join(parent, `${variant}.pooler${trackedSuffix}`),
  };
}

/** Includes the settings that initdb chose for this machine before ours, since the last setting counts. */
export function writeSettings(
  { dataFolder, folder, parameters, standbys = [] }: ClusterRequest,
  ours: OwnFiles,
  server: { port: number; major: number; preload: readonly string[]; user: Pick<ServerUser, 'uid' | 'gid'> },
): void {
  mkdirSync(ours.settings, { mode: 0o700, recursive: true });
  const chosen = quoted(path.join(dataFolder, 'postgresql.conf'));
  const files = {
    [ours.configuration]: `include '${chosen}'\n${configurationText({ parameters, folder, ...server })}`,
    [ours.access]: [
      'local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n',
      standbys.length > 0 ? 'host replication all 127.0.0.1/32 scram-sha-256\n' : '',
    ].join(''),
  };
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(file, text, { mode: 0o600 });
    // Parameters may be secret, such as a command with a password: only the server's user reads them.
    chownSync(file, server.user.uid, server.user.gid);
  }
  // That user must be able to reach them, whatever the umask.
  chmodSync(ours.settings, 0o711);
}

/** The lines at the end of a server's log. The log may be of any size. */
export function lastLines(file: string): string[] {
  const maxRead = 2 ** 20;
  return readPart(file, { from: -maxRead, bytes: maxRead }).toString('utf8').trimEnd().split('\n');
}

/**
 * The first fatal error at the end of the server's log, or else the log's last line. It never throws: it is called when
 * a process has ended, and the log may be gone by then.
 */
export function lastWords(file: string): string {
  let lines: string[];
  try {
    lines = lastLines(file);
  } catch {
    return 'its log is missing';
  }
  const grave = lines.filter((line) => /PANIC|FATAL|was terminated by/.test(line));
  return (grave.at(0) ?? lines.at(-1) ?? '').trim();
}

/**
 * Text of the settings file of one cluster. The experiment's own parameters come last, since the last setting counts.
 */
export function configurationText(options: {
  parameters: Record<string, ParameterValue>;
  port: number;
  folder: string;
  major: number;
  /** Libraries that every process of the server loads. */
  preload?: readonly string[];
}): string {
  // A socket's address holds at most 107 bytes. Without a socket, the loopback address remains.
  const socketFits = Buffer.byteLength(`${options.folder}/.s.PGSQL.${options.port}`) <= 107;
  const settings: Record<string, ParameterValue> = {
    listen_addresses: '127.0.0.1',
    port: options.port,
    // PostgreSQL reads this as a list: without the quotes, a comma in the path would split it.
    unix_socket_directories: socketFits ? `"${options.folder.replaceAll('"', '""')}"` : '',
    track_io_timing: true,
    track_wal_io_timing: true,
    log_checkpoints: true,
    log_autovacuum_min_duration: 0,
    // As on RDS, but with milliseconds.
    log_line_prefix: '%m:%r:%u@%d:[%p]:',
    ...(options.preload?.length ? { shared_preload_libraries: options.preload.join(',') } : {}),
    // Enough for pgbench's clients and our own connections.
    max_connections: 200,
    ...options.parameters,
  };
  return Object.entries(settings)
    .filter(([name]) => name !== walSegmentSize)
    .map(([name, value]) => `${name} = '${quoted(shown(value))}'\n`)
    .join('');
}

/** Escapes a value for use between single quotes, so that it remains one value even if it has several lines. */
export function quoted(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

function shown(value: ParameterValue): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
