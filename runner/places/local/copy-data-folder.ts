import path from 'node:path';
import { demandCommand } from '../../process/run-command.ts';
import type { ClusterRequest, StandbyRequest } from './cluster-files.ts';
import { serverEnvironment } from './server-environment.ts';
import type { ServerUser } from './server-user.ts';

/**
 * Copies the data folder of a primary that was shut down cleanly into the empty one of its standby, WAL included: the same
 * system, at the same place in its WAL. It needs no pg_basebackup, which not every folder of PostgreSQL has.
 */
export async function copyDataFolder(
  { folder, dataFolder, walFolder }: ClusterRequest,
  standby: StandbyRequest,
  user: ServerUser,
  signal: AbortSignal,
): Promise<void> {
  // As the servers' user: we, who may be root, would follow its symbolic links.
  const run = (...command: string[]) =>
    demandCommand(command, { ...user.spawnAs, cwd: folder, signal, environment: serverEnvironment() });
  await run('cp', '-R', '-P', '-p', `${dataFolder}/.`, standby.dataFolder);
  if (walFolder !== null) {
    // There it was a link to the log volume. A standby has one volume for both.
    const wal = path.join(standby.dataFolder, 'pg_wal');
    await run('rm', wal);
    await run('cp', '-R', '-P', '-p', walFolder, wal);
  }
  await run('touch', path.join(standby.dataFolder, 'standby.signal'));
}
