import type { Experiment } from '../../contract/experiment/schema.ts';
import {
  type ChosenBinaries,
  chooseBinaries,
  chooseClients,
  othersThan,
  requirePrograms,
  isToBeInstalled,
  serverPrograms,
} from './choose-binaries.ts';
import { findInstallations, type FoundInstallations } from './installations.ts';
import { openKeptPlace } from './kept-place.ts';
import { openLocalPlace } from './local-place.ts';
import { installPostgres } from './package-manager.ts';
import { findPooler } from './pooler-program.ts';
import { requireMemory } from './room.ts';
import { makeRunFolder, removeLeftovers } from './run-folder.ts';
import { buildServers, examineCode, withExtensions } from './source/sources.ts';
import { serverUser } from '../../process/rights.ts';
import type { OpenOptions, PlaceOpener, PreparedPlace } from '../definition.ts';
import type { Place } from '../place.ts';
import { localVolumes } from './schema.ts';
import { chooseVolumes, findObstacle, type Obstacle } from './volumes/choose-volumes.ts';
import { releaseVolumes } from './volumes/release-volumes.ts';
import { wordsOf } from '../../contract/errors.ts';

/** This machine: finds or installs PostgreSQL, and makes a separate cluster for every variant. */
export const opener: PlaceOpener = { cleanUp: cleanUpAfterKilledRuns, prepare };

async function cleanUpAfterKilledRuns(say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const { removed, left } = await removeLeftovers(releaseVolumes, signal);
  for (const folder of removed) say(`Cleaned up after a killed run: ${folder}`);
  for (const { folder, why } of left) say(`Could not clean up after a killed run: ${folder}: ${why}`);
  signal.throwIfAborted();
}

async function prepare(experiment: Experiment, options: OpenOptions): Promise<PreparedPlace> {
  const { say, warn, signal } = options;
  requireMemory(experiment);
  const pooler = await findPooler(experiment, signal);
  const looking = { folder: options.folder ?? '', environment: options.environment, say, signal };
  const code = await examineCode(experiment.variants, looking);
  const builds = await buildServers(code, looking);
  const isAllBuilt = builds.size === Object.keys(experiment.variants).length;
  const found = isAllBuilt ? await findHere(options) : await findOrInstall(options);
  if (options.kept) {
    // The servers run already, so only client programs are needed.
    const { folder } = chooseClients(experiment.variants, found, builds);
    requirePrograms(experiment, folder);
    return { programs: folder, otherPrograms: othersThan(folder, found), open: () => openKeptPlace(experiment) };
  }
  const chosen = chooseBinaries(experiment.variants, found, builds);
  const binaries = { ...chosen, servers: await withExtensions(chosen.servers, code, looking) };
  const { folder } = binaries.clients;
  requirePrograms(experiment, folder);
  return { programs: folder, otherPrograms: othersThan(folder, found), open: () => openNewPlace(binaries) };

  async function openNewPlace(binaries: ChosenBinaries): Promise<Place> {
    const runFolder = makeRunFolder(releaseVolumes);
    try {
      const user = serverUser();
      const volumes = await chooseVolumes(options.volumes, {
        folder: runFolder.volumes,
        areLimited: Object.values(experiment.variants).some((variant) => localVolumes(variant).areLimited),
        say,
        signal,
      });
      return await openLocalPlace({
        experiment,
        clients: options.clients,
        binaries,
        pooler,
        runFolder,
        volumes,
        user,
        say,
        signal,
      });
    } catch (error) {
      await runFolder.remove().catch((left: unknown) => warn(wordsOf(left)));
      throw error;
    }
  }
}

/** Why this machine cannot limit volumes; null if it can. It tries, in a folder of its own. */
export async function findLimitsObstacle(
  options: Pick<OpenOptions, 'say' | 'signal'> & { mayInstall: boolean },
): Promise<Obstacle | null> {
  const runFolder = makeRunFolder(releaseVolumes);
  try {
    return await findObstacle({ ...options, folder: runFolder.volumes });
  } finally {
    await runFolder.remove();
  }
}

/**
 * Finds every PostgreSQL. If there is none and we are root, installs the distribution's, unless the user named a
 * folder.
 */
async function findOrInstall(options: OpenOptions): Promise<FoundInstallations> {
  const { say, signal } = options;
  const found = await findHere(options);
  if (!isToBeInstalled(found)) return found;
  await installPostgres(say, signal);
  return findHere(options);
}

function findHere({ pgBindir, environment, signal }: OpenOptions): Promise<FoundInstallations> {
  return findInstallations({ explicit: pgBindir, environment, signal }, serverPrograms);
}
