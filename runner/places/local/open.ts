import type { Experiment } from '../../contract/experiment/schema.ts';
import { type ChosenBinaries, chooseBinaries, chooseClients, isMissing, serverPrograms } from './choose-binaries.ts';
import { findInstallations, type FoundInstallations } from './installations.ts';
import { openKeptPlace } from './kept-place.ts';
import { openLocalPlace } from './local-place.ts';
import { canInstall, installPostgres } from './package-manager.ts';
import { demandMemory } from './room.ts';
import { makeRunFolder, removeLeftovers } from './run-folder.ts';
import { serverUser } from './server-user.ts';
import { localStorage } from './variant-volumes.ts';
import type { Place } from '../place.ts';
import { chooseVolumes, type VolumesChoice } from './volumes/choose-volumes.ts';
import { releaseVolumes } from './volumes/release-volumes.ts';

export interface LocalPlaceOptions {
  pgBindir?: readonly string[] | undefined;
  volumes: VolumesChoice;
  /** Whether to use clusters that an earlier command loaded and left, instead of new ones. */
  kept: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Removes what this user's killed runs left, and says so. */
export async function cleanUpAfterKilledRuns(say: (line: string) => void): Promise<void> {
  for (const folder of await removeLeftovers(releaseVolumes)) say(`Removed what a killed run left: ${folder}`);
}

/**
 * Prepares this machine for the experiment's variants: finds or installs PostgreSQL.
 *
 * @returns the folder of PostgreSQL's client programs, and a function that starts the variants. Who calls it must close the place.
 */
export async function prepareLocalPlace(
  experiment: Experiment,
  options: LocalPlaceOptions,
): Promise<{ programs: string; open: () => Promise<Place> }> {
  const { say, signal } = options;
  // Before anything that only a profile for this machine can put right.
  for (const [name, variant] of Object.entries(experiment.variants)) localStorage(name, variant);
  demandMemory(experiment);
  const found = await findOrInstall(options);
  if (options.kept) {
    // Its servers run already, by whatever they were started.
    return { programs: chooseClients(experiment.variants, found).folder, open: () => openKeptPlace(experiment) };
  }
  const binaries = chooseBinaries(experiment.variants, found);
  return { programs: binaries.clients.folder, open: () => openNewPlace(binaries) };

  async function openNewPlace(binaries: ChosenBinaries): Promise<Place> {
    const runFolder = makeRunFolder(releaseVolumes);
    try {
      const user = serverUser();
      const volumes = await chooseVolumes(options.volumes, {
        folder: runFolder.volumes,
        say,
        signal,
      });
      return await openLocalPlace({ experiment, binaries, runFolder, volumes, user, say, signal });
    } catch (error) {
      await runFolder.remove();
      throw error;
    }
  }
}

/**
 * Finds every PostgreSQL. If there is none and we are root, installs the distribution's. A folder that was named is never
 * replaced.
 */
async function findOrInstall({ pgBindir, environment, say, signal }: LocalPlaceOptions): Promise<FoundInstallations> {
  const find = (): Promise<FoundInstallations> =>
    findInstallations({ explicit: pgBindir, environment }, serverPrograms);
  const found = await find();
  const named = found.installations.some(({ origin }) => origin !== null);
  if (!isMissing(found) || named || !canInstall()) return found;
  await installPostgres(say, signal);
  return find();
}
