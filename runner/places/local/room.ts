import { totalmem } from 'node:os';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { roomIn } from '../../files/look.ts';
import { localVolumes } from './schema.ts';
import { bytesOf } from '../../postgres/setting-units.ts';
import { neededRoom } from '../needed-room.ts';
import { toolOf } from '../../workloads/registry.ts';
import { chooseClients } from './choose-binaries.ts';
import { findInstallations, missingPrograms, type LookUp } from './installations.ts';

/**
 * Refuses volumes that the disk could not hold if they became full. Their image files are sparse: they would be made, and a
 * server would fail in mid-trial.
 *
 * @param folder where the image files will be
 * @throws {UserError} with the room that there is and that is needed
 */
export function requireRoom({ variants }: Pick<Experiment, 'variants'>, folder: string): void {
  const neededGib = Object.values(variants).reduce((sum, variant) => {
    const { sizeGib, log, standbys } = localVolumes(variant);
    return sum + sizeGib * (1 + (log ? 1 : 0) + (standbys?.count ?? 0));
  }, 0);
  const roomGib = roomIn(folder) / 2 ** 30;
  if (neededGib <= roomGib) return;
  throw new UserError(
    `The volumes of all variants need ${neededGib} GiB, and there are ${roomGib.toFixed(1)} GiB in ${folder}. Choose a smaller storage.sizeGib, or set TMPDIR to another disk.`,
  );
}

/**
 * Refuses data and WAL that a disk has no room for, where they lie in plain folders: the last server would fail while it is
 * loaded, or a trial.
 *
 * @throws {UserError} with the room that there is and that is needed
 */
export function requireRoomForData(
  experiment: Pick<Experiment, 'variants' | 'workload' | 'protocol'>,
  folder: string,
  roomBytes = roomIn(folder),
): void {
  const needed = Object.values(experiment.variants).reduce((sum, variant) => {
    const room = neededRoom(experiment, variant, true);
    const servers = 1 + (localVolumes(variant).standbys?.count ?? 0);
    return room ? sum + servers * (room.data.bytes + room.wal.bytes) : sum;
  }, 0);
  if (needed <= roomBytes) return;
  throw new UserError(
    `Data and WAL of all variants need ${gib(needed)}, and there are ${gib(roomBytes)} in ${folder}. Load less, or set TMPDIR to another disk.`,
  );
}

/** The rest is for everything else, the load generator and the cache of the kernel among it. */
const mostOfMemory = 0.9;

/**
 * Refuses servers whose shared buffers this machine could not hold at the same time: one of them would be killed in mid-trial.
 *
 * @throws {UserError} with the memory that there is and that is needed
 */
export function requireMemory({ variants }: Pick<Experiment, 'variants'>, memoryBytes = totalmem()): void {
  const needed = Object.values(variants).reduce((sum, variant) => {
    const servers = 1 + (localVolumes(variant).standbys?.count ?? 0);
    return sum + servers * (bytesOf(variant.engine.parameters['shared_buffers'] ?? usualBuffers, '8kB') ?? 0);
  }, 0);
  if (needed <= memoryBytes * mostOfMemory) return;
  throw new UserError(
    `The shared_buffers of all variants are ${gib(needed)}, and this machine has ${gib(memoryBytes)} of memory. All servers run at the same time: choose smaller shared_buffers.`,
  );
}

const usualBuffers = '128MB';

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

/**
 * Lets the load generator of this machine read what it would carry out, as each start of a run does.
 *
 * @returns the version of PostgreSQL that read it; null where none is installed, or only one older than that of the run would be
 * @throws {UserError} with the file and what the load generator says
 */
export async function foreseeLoad(
  { workload, variants }: Experiment,
  { scriptFolder, signal, ...lookUp }: LookUp & { scriptFolder: string; signal: AbortSignal },
): Promise<string | null> {
  const tool = toolOf(workload);
  if (!tool.foresee) return null;
  const found = await findInstallations({ ...lookUp, signal }, ['pgbench']);
  if (!found.installations.some((one) => missingPrograms(one, ['pgbench']) === null)) return null;
  const { folder, version, major } = chooseClients(variants, found);
  // What a newer one reads, an older one may refuse.
  if (Object.values(variants).some(({ engine }) => Number.parseInt(engine.version ?? '', 10) > major)) return null;
  await tool.foresee(folder, { workload, scriptFolder, signal });
  return version;
}
