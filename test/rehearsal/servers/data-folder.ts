import { chownSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PostgresBinaries } from '../../../runner/places/local/installations.ts';
import { serverUser } from '../../../runner/process/rights.ts';
import { runChecked } from '../../../runner/process/run-command.ts';

/** Name of the superuser, as on RDS. Only the administrator of the machine can connect as this user. */
export const superuser = 'rdsadmin';

/**
 * Clients from the network need TLS and a password, and cannot connect as the superuser. The socket is in a folder that is
 * closed to others.
 */
const hostBasedAuthentication = `
local   all         ${superuser}      trust
local   replication ${superuser}      trust
host    all         ${superuser} all  reject
hostssl all         all          all  scram-sha-256
`;

/**
 * Makes a data folder that any server may start on. Folders from one template have the same system identifier and the same
 * position in the WAL. So one of them can be a standby of another without a base backup.
 *
 * @param template folder that the first call makes: initdb takes seconds, a copy almost no time
 */
export async function makeDataFolder(template: string, dataFolder: string, binaries: PostgresBinaries): Promise<void> {
  if (!existsSync(template)) {
    const making = templates.get(template) ?? initialise(template, binaries);
    templates.set(template, making);
    await making;
  }
  await runChecked(['cp', '--archive', '--reflink=auto', template, dataFolder]);
}

/**
 * Makes a data folder from a running server, as a snapshot of its volume does. A server that starts on a copy of it holds
 * what this one held.
 */
export async function copyDataFolder(
  server: { folder: string; port: number },
  dataFolder: string,
  { folder: programs }: PostgresBinaries,
): Promise<void> {
  const { uid, gid, spawnAs } = serverUser();
  const unfinished = `${dataFolder}.unfinished`;
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  chownSync(unfinished, uid, gid);
  await runChecked(
    [
      ...[path.join(programs, 'pg_basebackup'), `--pgdata=${unfinished}`, `--host=${server.folder}`],
      ...[`--port=${server.port}`, `--username=${superuser}`, '--checkpoint=fast', '--no-sync'],
    ],
    { ...spawnAs, cwd: unfinished, environment: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } },
  );
  renameSync(unfinished, dataFolder);
}

/** Templates that are made, or are being made: several databases start at the same time. */
const templates = new Map<string, Promise<void>>();

async function initialise(template: string, { folder: programs }: PostgresBinaries): Promise<void> {
  const { uid, gid, spawnAs } = serverUser();
  const unfinished = `${template}.unfinished`;
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  chownSync(unfinished, uid, gid);
  await runChecked(
    [
      ...[path.join(programs, 'initdb'), `--pgdata=${unfinished}`, `--username=${superuser}`, '--auth=reject'],
      ...['--encoding=UTF8', '--no-locale', '--data-checksums', '--no-sync'],
    ],
    { ...spawnAs, cwd: unfinished, environment: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } },
  );
  writeFileSync(path.join(unfinished, 'pg_hba.conf'), hostBasedAuthentication);
  renameSync(unfinished, template);
}
