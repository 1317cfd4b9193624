import path from 'node:path';
import { chown, mkdir } from 'node:fs/promises';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Place, VolumeCheck } from '../place.ts';
import { localVolumes } from './schema.ts';
import type { Volume, Volumes } from './volumes/volume.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { saveKeptPlace, type ServerProcesses } from './kept-place.ts';
import { type LocalVariant, activateOnly, targetsOf } from './local-variant.ts';
import { requireRoom, requireRoomForData } from './room.ts';
import type { ChosenBinaries } from './choose-binaries.ts';
import type { PostgresBinaries } from './installations.ts';
import { type RunFolder, startedIn } from './run-folder.ts';
import type { ServerUser } from '../../process/rights.ts';
import { onVolume, abortable } from './volumes/mounts.ts';
import { checkVolumes, type VariantVolumes, makeVolumes, volumesIn } from './volumes/variant-volumes.ts';

/** Connections for resetting and observing, and for a person who looks at a server. */
const ownConnections = 20;

/** What a local place is made of. */
interface LocalPlaceOptions {
  experiment: Experiment;
  /** The highest number of concurrent clients on a server. */
  clients: number;
  binaries: ChosenBinaries;
  runFolder: RunFolder;
  volumes: Volumes;
  user: ServerUser;
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Makes private clusters for all variants on this machine. Each has its own volumes inside the run's folder.
 *
 * @throws {UserError} if the experiment is not possible on one machine; everything that was made so far has been
 * removed
 */
export async function openLocalPlace(options: LocalPlaceOptions): Promise<Place> {
  const { experiment, binaries, runFolder, volumes, say } = options;
  const clusters = new LocalClusters(options);
  const facts = {
    description: `PostgreSQL ${versionsOf(binaries)} on this machine, ${volumes.kind === 'limited' ? 'on volumes of limited IOPS' : 'in plain folders'}`,
    caveats: [...(volumes.caveat === null ? [] : [volumes.caveat]), ...standbyCaveats(experiment)],
    volumeChecks: new Array<VolumeCheck>(),
    volumesKind: volumes.kind,
  };
  try {
    if (volumes.kind === 'limited') requireRoom(experiment, runFolder.volumes);
    else requireRoomForData(experiment, runFolder.volumes);
    const disks = await clusters.makeVolumes();
    if (volumes.kind === 'limited') say('Measuring whether the volumes keep to their limits ...');
    const checked = await checkVolumes(disks, options.signal);
    facts.volumeChecks.push(...checked.checks);
    facts.caveats.push(...checked.caveats);
    await clusters.start();
  } catch (error) {
    // The caller, who made the folder, removes what this leaves, or reports it.
    const broken = clusters.brokenVolume();
    await clusters.remove().catch(() => undefined);
    throw broken ?? error;
  }
  return {
    kind: 'local',
    ...facts,
    targets: targetsOf(clusters.variants),
    activateOnly: (tested, signal) => activateOnly(clusters.variants, tested, signal),
    restart: (server, signal) => clusters.restart(server, signal),
    ownProcesses: () => startedIn(runFolder.path),
    async close({ keep }) {
      if (keep) return clusters.keep(facts);
      await clusters.remove();
      return null;
    },
  };
}

/**
 * The clusters of all variants with their volumes: makes the volumes, starts the clusters, then keeps or removes both.
 */
class LocalClusters {
  readonly variants = new Map<string, LocalVariant & ServerProcesses>();
  readonly #options: LocalPlaceOptions;
  readonly #disks = new Map<string, VariantVolumes>();
  readonly #clusters = new Map<string, Cluster>();

  constructor(options: LocalPlaceOptions) {
    this.#options = options;
  }

  /** @returns the volumes of all variants */
  async makeVolumes(): Promise<Volume[]> {
    const { experiment, volumes, signal } = this.#options;
    for (const [variant, definition] of Object.entries(experiment.variants)) {
      this.#disks.set(variant, await makeVolumes(variant, definition, volumes, signal));
    }
    return [...this.#disks.values()].flatMap(volumesIn);
  }

  /** Why a volume broke; undefined if none did. What was done on it meanwhile failed with words of its own. */
  brokenVolume(): Error | undefined {
    const broken = [...this.#disks.values()].flatMap(volumesIn).find(({ failed }) => failed.aborted);
    return broken?.failed.reason as Error | undefined;
  }

  /** One after another: on a small machine, several at once would slow initdb until it times out. */
  async start(): Promise<void> {
    for (const [variant, made] of this.#disks) await this.#startVariant(variant, made);
  }

  async #startVariant(variant: string, made: VariantVolumes): Promise<void> {
    const { experiment, clients, binaries, runFolder, user, signal } = this.#options;
    const { data, log } = made;
    const standbys = [];
    for (const [name, volume] of made.standbys) {
      standbys.push({ name, dataFolder: await ownFolder(volume, 'data', user, signal) });
    }
    const parameters = experiment.variants[variant]?.engine.parameters;
    const server = binaries.servers.get(variant);
    if (!server) throw new Error(`no PostgreSQL was chosen for ${variant}`);
    const cluster = await startCluster(
      {
        variant,
        dataFolder: await ownFolder(data, 'data', user, signal),
        walFolder: log === null ? null : await ownFolder(log, 'wal', user, signal),
        folder: path.join(runFolder.servers, variant),
        parameters: { max_connections: clients + ownConnections, ...parameters },
        standbys,
      },
      server,
      user,
      signal,
    );
    this.#clusters.set(variant, cluster);
    this.variants.set(variant, {
      target: cluster.target,
      serverLog: cluster.serverLog,
      get serverPid() {
        return cluster.pid;
      },
      standbyPids: cluster.standbys.map((standby) => standby.process.pid ?? 0),
      volumes: volumesIn(made),
      standbys: cluster.standbys,
    });
  }

  async restart(server: string, signal: AbortSignal): Promise<void> {
    await this.#clusters.get(server)?.restart(signal);
  }

  /** @returns how to reach them */
  async keep(facts: Parameters<typeof saveKeptPlace>[2]): Promise<string> {
    const { experiment, binaries, runFolder } = this.#options;
    // Lift the limits of the last trial, which would slow the next user for no reason.
    await activateOnly(this.variants, [], new AbortController().signal);
    saveKeptPlace(runFolder.path, experiment, facts, this.variants);
    runFolder.keep();
    for (const cluster of this.#clusters.values()) cluster.release();
    return keptMessage(this.#clusters, binaries.clients, runFolder.path);
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
    await this.#options.runFolder.remove();
  }
}

/** Each version once, in the order of the variants. */
function versionsOf({ servers }: ChosenBinaries): string {
  return [...new Set([...servers.values()].map(({ version }) => version))].join(' and ');
}

/** What standbys on this machine cannot show; empty if no variant has any. */
function standbyCaveats({ variants }: Experiment): string[] {
  const any = Object.values(variants).some((variant) => localVolumes(variant).standbys !== null);
  return any
    ? [
        'Standbys on one machine: they share its processors with their primary, without a network between them. They stream WAL; pgduet cannot mirror blocks here, as a Multi-AZ instance does.',
      ]
    : [];
}

function keptMessage(clusters: Map<string, Cluster>, clients: PostgresBinaries, folder: string): string {
  const lines = [...clusters.values()].map(
    ({ target }) =>
      `  ${target.server}: PGPASSFILE=${target.environment['PGPASSFILE'] ?? ''} ${path.join(clients.folder, 'psql')} -h ${target.host} -p ${target.port} -U ${target.user} ${target.database}`,
  );
  return [
    'The servers keep running. Connect with:',
    ...lines,
    `Remove the servers and their files (${folder}) with: ${ownCommand} clean`,
  ].join('\n');
}

/** A folder below a volume's root. The root itself may hold the file system's lost+found. */
export async function ownFolder(volume: Volume, name: string, user: ServerUser, signal: AbortSignal): Promise<string> {
  const folder = path.join(volume.path, name);
  // A plain folder is on a disk of the user's.
  const bounded = (work: Promise<void>) =>
    volume.qmpSocket === null ? abortable(work, signal) : onVolume(volume.request.name, work, signal);
  await bounded(mkdir(folder, { mode: 0o700 }));
  await bounded(chown(folder, user.uid, user.gid));
  return folder;
}
