import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { readPart } from '../../files/read.ts';
import { noteSuffix } from '../../process/noted.ts';
import { configurationText, quoted } from './parameters.ts';

export interface ClusterRequest {
  variant: string;
  /** Folder for the data. It exists, belongs to the server's user, and is empty. */
  dataFolder: string;
  /** Such a folder for the WAL; null to keep the WAL with the data. */
  walFolder: string | null;
  /** Folder for everything that is neither data nor WAL: password file, socket, server log. */
  folder: string;
  parameters: Record<string, ParameterValue>;
  /** Servers that get its WAL, one of which must have it before a commit returns. @default none */
  standbys?: readonly StandbyRequest[];
}

export interface StandbyRequest {
  /** `standby1` or `standby2`. */
  name: string;
  /** Folder for its data and WAL, such as that of a primary. */
  dataFolder: string;
}

export type OwnFiles = ReturnType<typeof ownFiles>;

/**
 * Files of a cluster that we write. They are beside the folders of the server's user, never in them: a process of that user
 * could put a symbolic link there, and we, who may be root, would write through it.
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
    processNote: path.join(parent, `${variant}${noteSuffix}`),
    initialPassword: path.join(parent, `${variant}.initial-password`),
  };
}

/** The settings that initdb chose for this machine come first, since the last setting counts. */
export function writeSettings(
  { dataFolder, folder, parameters, standbys = [] }: ClusterRequest,
  ours: OwnFiles,
  server: { port: number; major: number; preload: readonly string[] },
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
  for (const [file, text] of Object.entries(files)) writeFileSync(file, text);
  // The server's user reads them, whatever the umask. They hold no secret.
  for (const file of Object.keys(files)) chmodSync(file, 0o644);
  chmodSync(ours.settings, 0o755);
}

/** Lines at the end of a server's log, which may have any size. */
export function lastLines(file: string): string[] {
  const mostRead = 2 ** 20;
  return readPart(file, { from: -mostRead, bytes: mostRead }).toString('utf8').trimEnd().split('\n');
}

/**
 * The first grave error at the end of the server's log, or else the last line of the log. It never throws: it is called when a
 * process has ended, and the log may be gone by then.
 */
export function lastWords(file: string): string {
  let lines: string[];
  try {
    lines = lastLines(file);
  } catch {
    return 'its log is gone';
  }
  const grave = lines.filter((line) => /PANIC|FATAL|was terminated by/.test(line));
  return (grave.at(0) ?? lines.at(-1) ?? '').trim();
}
