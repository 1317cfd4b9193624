import type { Experiment } from '../experiment/schema.ts';
import { UserError } from '../experiment/user-error.ts';
import { openKeptPlace } from '../places/local/kept-place.ts';
import { openLocalPlace } from '../places/local/local-place.ts';
import { canInstall, installPostgres } from '../places/local/package-manager.ts';
import { findPostgresBinaries, type PostgresBinaries } from '../places/local/postgres-binaries.ts';
import { makeRunFolder, removeLeftovers } from '../places/local/run-folder.ts';
import { serverUser } from '../places/local/server-user.ts';
import type { Place } from '../places/place.ts';
import { chooseVolumes, type VolumesChoice } from '../places/volumes/choose-volumes.ts';
import { releaseVolumes } from '../places/volumes/release-volumes.ts';
import type { Io } from './io.ts';

/**
 * The experiment's variants on this machine: brought up, or with `kept` those that an earlier command loaded and left. The
 * caller closes the place.
 */
export async function prepareLocalPlace(
  experiment: Experiment,
  options: { pgBindir?: string; volumes: VolumesChoice; kept: boolean },
  io: Io,
  say: (line: string) => void,
): Promise<{ place: Place; programs: string }> {
  for (const folder of await removeLeftovers(releaseVolumes)) say(`Removed what a killed run left: ${folder}`);
  const binaries = await binariesOrInstall(options, io, say);
  if (options.kept) return { place: await openKeptPlace(experiment), programs: binaries.folder };
  const runFolder = makeRunFolder(releaseVolumes);
  try {
    const user = serverUser();
    const volumes = await chooseVolumes(options.volumes, {
      folder: runFolder.volumes,
      serverUser: user,
      say,
      signal: io.signal,
    });
    const place = await openLocalPlace({
      experiment,
      binaries,
      runFolder,
      volumes,
      user,
      say,
      signal: io.signal,
    });
    return { place, programs: binaries.folder };
  } catch (error) {
    await runFolder.remove();
    throw error;
  }
}

/** As root, a machine without PostgreSQL gets the distribution's; a folder that was named is never replaced. */
async function binariesOrInstall(
  { pgBindir }: { pgBindir?: string },
  io: Io,
  say: (line: string) => void,
): Promise<PostgresBinaries> {
  const find = (): Promise<PostgresBinaries> =>
    findPostgresBinaries({ explicit: pgBindir, environment: io.environment });
  try {
    return await find();
  } catch (error) {
    const named = pgBindir !== undefined || Boolean(io.environment['PGDUET_PG_BINDIR']);
    if (!(error instanceof UserError) || named || !canInstall()) throw error;
    await installPostgres(say, io.signal);
    return find();
  }
}
