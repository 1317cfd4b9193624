import type { Experiment } from '../../contract/experiment/schema.ts';
import { KeyError, UserError } from '../../contract/errors.ts';
import { isInMemory, roomIn } from '../../files/look.ts';
import { capacity } from '../../machine/capacity.ts';
import { localVolumes } from './schema.ts';
import { neededRoom } from '../needed-room.ts';
import { bufferBytes, gibText, holdsBuffers } from '../shared-memory.ts';
import { filesOf, workloadsOf } from '../../workloads/of-variants.ts';
import { toolOf } from '../../workloads/registry.ts';
import { majorOf, newerVersionWarning } from '../../postgres/versions/known.ts';
import { othersThan, chooseBinaries, chooseClients, isToBeInstalled, serverPrograms } from './choose-binaries.ts';
import { findInstallations, type LookUp, type PostgresBinaries, withPrograms } from './installations.ts';
import { examineCode, installedOnes, type Looking, requireForExtensions } from './source/sources.ts';

/**
 * Refuses volumes that the disk could not hold if they became full. Their image files are sparse, so making them would
 * succeed, and a server would fail in mid-trial.
 *
 * @param folder where the image files will be
 * @throws {UserError} with the needed and the available room
 */
export function requireRoom({ variants }: Pick<Experiment, 'variants'>, folder: string): void {
  const neededGib = Object.values(variants).reduce((sum, variant) => {
    const { sizeGib, log, standbys } = localVolumes(variant);
    return sum + sizeGib * (1 + (log ? 1 : 0) + (standbys?.count ?? 0));
  }, 0);
  const roomGib = roomFor({ variants }, folder) / 2 ** 30;
  if (neededGib <= roomGib) return;
  throw new KeyError(
    `The volumes of all variants need ${neededGib} GiB, but ${folder} has room for only ${roomGib.toFixed(1)} GiB. Choose a smaller storage.sizeGib, or set TMPDIR to another disk.`,
  );
}

/**
 * Refuses data and WAL in plain folders that the disk has no room for: loading the last server would fail, or a trial.
 *
 * @throws {UserError} with the needed and the available room
 */
export function requireRoomForData(
  experiment: Pick<Experiment, 'variants' | 'workload' | 'protocol'>,
  folder: string,
  roomBytes = roomFor(experiment, folder),
): void {
  const needed = Object.values(experiment.variants).reduce((sum, variant) => {
    const room = neededRoom(experiment, variant, true);
    const servers = 1 + (localVolumes(variant).standbys?.count ?? 0);
    return room ? sum + servers * (room.data.bytes + room.wal.bytes) : sum;
  }, 0);
  if (needed <= roomBytes) return;
  throw new UserError(
    `Data and WAL of all variants need ${gibText(needed)}, but ${folder} has room for only ${gibText(roomBytes)}. Load less, or set TMPDIR to another disk.`,
  );
}

/** Files in memory, as those of many a container's TMPDIR, share it with the servers. */
function roomFor(experiment: Pick<Experiment, 'variants'>, folder: string): number {
  const left = isInMemory(folder) ? capacity().memoryBytes - buffersOf(experiment) - runnerBytes : Infinity;
  return Math.max(0, Math.min(roomIn(folder), left));
}

/**
 * Refuses servers whose shared buffers together exceed the memory that may be used here: one server would be killed in mid-trial.
 *
 * @throws {UserError} with the needed and the available memory
 */
export function requireMemory(experiment: Pick<Experiment, 'variants'>, memoryBytes = capacity().memoryBytes): void {
  const needed = buffersOf(experiment);
  if (holdsBuffers(needed, memoryBytes) && needed + runnerBytes <= memoryBytes) return;
  throw new UserError(
    `The shared_buffers of all variants add up to ${gibText(needed)}, but pgduet and its servers may use only ${gibText(memoryBytes)} of memory here, and all servers run at the same time. Choose smaller shared_buffers.`,
  );
}

function buffersOf({ variants }: Pick<Experiment, 'variants'>): number {
  return Object.values(variants).reduce((sum, variant) => {
    const servers = 1 + (localVolumes(variant).standbys?.count ?? 0);
    return sum + servers * (bufferBytes(variant.engine.parameters['shared_buffers'] ?? defaultBuffers) ?? 0);
  }, 0);
}

const defaultBuffers = '128MB';
/** What pgduet itself needs while it measures, with the load generator. */
const runnerBytes = 200 * 2 ** 20;

/**
 * Looks for the PostgreSQL of every variant, so that a run is refused before its plan is shown.
 *
 * @param folder that relative paths of source code start from
 * @param isElsewhere whether another machine may have them: then only folders that the user named are looked at
 * @returns what a reader must know about versions that the experiment does not name; null if there is nothing
 * @throws {UserError} if a version is not here, or a folder that the user named cannot be used; if source code is not there,
 *   or something that its build needs
 */
export async function validateServers(
  { variants }: Pick<Experiment, 'variants'>,
  { isElsewhere, folder, say, ...lookUp }: LookUp & Pick<Looking, 'folder' | 'say'> & { isElsewhere: boolean },
): Promise<string | null> {
  const found = await findInstallations(lookUp, isElsewhere ? [] : serverPrograms, { onlyNamed: isElsewhere });
  if (isElsewhere) return null;
  const { environment, signal } = lookUp;
  const looking = { folder, environment, say, signal };
  const code = await examineCode(variants, looking);
  const installed = installedOnes(variants);
  const isHere = Object.keys(installed).length > 0 && !isToBeInstalled(found);
  const servers = isHere ? chooseBinaries(installed, found).servers : new Map<string, PostgresBinaries>();
  await requireForExtensions(code, servers, looking);
  const unnamed = [...servers].filter(([variant]) => variants[variant]?.engine.version === undefined);
  return newerVersionWarning(
    [...unnamed.map(([, one]) => one), ...code.servers.values()].map(({ version }) => version),
  );
}

/** What this machine's programs say about a load before a run. */
export interface ValidatedLoad {
  /** The version of PostgreSQL whose programs accept the files and options; null if none does. */
  version: string | null;
  /** Why that is not the last word on its scripts, in sentences; null if it is, or if there are none. */
  note: string | null;
}

/**
 * Lets this machine's load generator parse what it would execute, as each start of a run does.
 *
 * @param isElsewhere whether the run has another machine for its load generator, with its own version
 * @throws {UserError} with the file and what the load generator reports, unless it is older than the run's
 */
export async function validateLoad(
  experiment: Experiment,
  {
    isElsewhere,
    scriptFolder,
    signal,
    ...lookUp
  }: LookUp & { isElsewhere: boolean; scriptFolder: string; signal: AbortSignal },
): Promise<ValidatedLoad> {
  const { workload, variants } = experiment;
  const tool = toolOf(workload);
  if (!tool.validateScripts) return { version: null, note: null };
  const hasScripts = filesOf(experiment).all.length > 0;
  const noteOf = (judged: string): string | null =>
    hasScripts
      ? `Scripts of the workload are ${judged}. ${isElsewhere ? 'The driver' : 'A run'} checks them before it loads data.`
      : null;
  const found = await findInstallations({ ...lookUp, signal }, ['pgbench']);
  if (withPrograms(found.installations, ['pgbench']).length === 0) {
    return { version: null, note: noteOf('not checked: there is no pgbench here') };
  }
  const { folder, version, major } = chooseClients(variants, found);
  const newest = Math.max(0, ...Object.values(variants).map(({ engine }) => majorOf(engine.version) ?? 0));
  const isBuilt = Object.values(variants).some(({ engine }) => engine.source !== undefined);
  const isOlder = newest > major;
  const isOther = isOlder || (isElsewhere && newest < major);
  try {
    for (const own of workloadsOf(experiment)) {
      await tool.validateScripts(folder, {
        ...{ workload: own, scriptFolder, signal },
        otherPrograms: othersThan(folder, found),
      });
    }
  } catch (error) {
    // A newer one may accept it.
    if (!(isOlder || isBuilt) || !(error instanceof UserError)) throw error;
    const run = isBuilt ? 'and the run has a built one' : `which is older than the run’s ${newest}`;
    const note = noteOf(`refused by the pgbench of PostgreSQL ${version} here, ${run}`);
    return { version: null, note: note && `${note} ${error.message}` };
  }
  const other = `accepted by the pgbench of PostgreSQL ${version} here, but the run’s has another version`;
  return { version, note: isOther ? noteOf(other) : null };
}
