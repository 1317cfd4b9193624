import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { openKeptPlace } from './kept-place.ts';
import { openLocalPlace } from './local-place.ts';
import { canInstall, installPostgres } from './package-manager.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { makeRunFolder, removeLeftovers } from './run-folder.ts';
import { serverUser } from './server-user.ts';
import type { Place } from '../place.ts';
import { chooseVolumes, type VolumesChoice } from './volumes/choose-volumes.ts';
import { releaseVolumes } from './volumes/release-volumes.ts';
import type { Io } from '../../cli/io.ts';

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
