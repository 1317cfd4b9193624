import { chownSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasCode, UserError } from '../../contract/errors.ts';
import { CommandError, runChecked } from '../../process/run-command.ts';
import { type ClusterRequest, ownFiles, type StandbyRequest } from './cluster-files.ts';
import type { PostgresBinaries } from './installations.ts';
import { walSegmentMegabytes, walSegmentSize } from './parameters.ts';
import { plainEnvironment, type ServerUser } from '../../process/rights.ts';

export interface Superuser {
  name: string;
  password: string;
}

/**
 * Makes the data folder of a cluster, and its folder for the WAL.
 *
 * @throws {UserError} if initdb fails for a reason that the user can remove
 */
export async function initialise(
  request: ClusterRequest,
  superuser: Superuser,
  binaries: PostgresBinaries,
  user: ServerUser,
  signal: AbortSignal,
): Promise<void> {
  const { [walSegmentSize]: asked } = request.parameters;
  const walSegment = asked === undefined ? null : walSegmentMegabytes(asked);
  // A file instead of a pipe: after the user has changed, initdb may not be able to open /dev/fd.
  const passwordFile = ownFiles(request).initialPassword;
  writeFileSync(passwordFile, `${superuser.password}\n`, { mode: 0o600 });
  chownSync(passwordFile, user.uid, user.gid);
  try {
    await runChecked(
      [
        path.join(binaries.folder, 'initdb'),
        `--pgdata=${request.dataFolder}`,
        ...(request.walFolder === null ? [] : [`--waldir=${request.walFolder}`]),
        ...(walSegment === null ? [] : [`--wal-segsize=${walSegment}`]),
        `--username=${superuser.name}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale',
        // With checksums, as on RDS. Without sync: if the machine fails, losing the cluster does not matter.
        '--data-checksums',
        '--no-sync',
      ],
      { ...user.spawnAs, cwd: request.folder, signal, environment: serverEnvironment() },
    );
  } catch (error) {
    throw changeable(request.variant, error, binaries) ?? error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** What initdb and the server that it starts print in English, and the remedy for each. */
const remedies: [RegExp, string][] = [
  [/No space left on device|Disk quota exceeded/, 'Free up space there, or choose another folder (TMPDIR).'],
  [
    /Permission denied|Operation not permitted|Read-only file system/,
    'Choose another folder (TMPDIR), or change its permissions.',
  ],
  [
    /could not look up effective user ID/,
    'PostgreSQL needs a name for the user that it runs as. Add one to /etc/passwd, or start the container as a user that has one.',
  ],
  [/unrecognized option/, 'Name the folder of another PostgreSQL with --pg-bindir.'],
];

/** The failure with a remedy; null if the user can do nothing about it, such as about a broken volume. */
function changeable(variant: string, error: unknown, { folder }: PostgresBinaries): UserError | null {
  if (hasCode(error, 'EACCES')) {
    return new UserError(
      `Could not create the data folder of variant ${variant}: the user that runs the servers (postgres, or else nobody) cannot execute ${path.join(folder, 'initdb')}. Make it and its parent folders accessible to all users, or specify another with --pg-bindir.`,
      { cause: error },
    );
  }
  if (!(error instanceof CommandError)) return null;
  const lines = error.result.stderr.split('\n').map((line) => line.trim());
  for (const [printed, remedy] of remedies) {
    const words = lines.find((line) => printed.test(line));
    if (words === undefined) continue;
    return new UserError(`Could not create the data folder of variant ${variant}: ${words}. ${remedy}`, {
      cause: error,
    });
  }
  return null;
}

/**
 * Copies the data folder of a primary that was shut down cleanly, WAL included, into the empty data folder of its
 * standby. The copy is the same system, at the same position in its WAL. This needs no pg_basebackup, which not every
 * PostgreSQL folder has.
 */
export async function copyDataFolder(
  { folder, dataFolder, walFolder }: ClusterRequest,
  standby: StandbyRequest,
  user: ServerUser,
  signal: AbortSignal,
): Promise<void> {
  // As the servers' user: pgduet, which may run as root, would follow that user's symbolic links.
  const run = (...command: string[]) =>
    runChecked(command, { ...user.spawnAs, cwd: folder, signal, environment: serverEnvironment() });
  await run('cp', '-R', '-P', '-p', `${dataFolder}/.`, standby.dataFolder);
  if (walFolder !== null) {
    // On the primary, pg_wal is a link to the log volume. A standby has one volume for both.
    const wal = path.join(standby.dataFolder, 'pg_wal');
    await run('rm', wal);
    await run('cp', '-R', '-P', '-p', walFolder, wal);
  }
  await run('touch', path.join(standby.dataFolder, 'standby.signal'));
}

/** Environment of PostgreSQL's own programs: with English messages, and without the caller's PG* settings. */
export function serverEnvironment(): Record<string, string | undefined> {
  return { ...plainEnvironment, TZ: 'UTC' };
}
