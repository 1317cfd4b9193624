import path from 'node:path';
import { chown, mkdir } from 'node:fs/promises';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Place, VolumeCheck } from '../place.ts';
import { isLocalPooler, localVolumes } from './schema.ts';
import type { Volume, Volumes } from './volumes/volume.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { saveKeptPlace } from './kept-place.ts';
import { type LocalVariant, activateOnly, targetsOf } from './local-variant.ts';
import { requireRoom, requireRoomForData } from './room.ts';
import type { ChosenBinaries } from './choose-binaries.ts';
import type { PostgresBinaries } from './installations.ts';
import type { PoolerProgram } from './pooler-program.ts';
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
  /** null if no variant has a pooler. */
  pooler: PoolerProgram | null;
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
  const { experiment, binaries, runFolder, volumes, signal } = options;
  const disks = new Map<string, VariantVolumes>();
  const clusters = new Map<string, Cluster>();
  const volumesOf = (variant: string): Volume[] =>
    [...disks].flatMap(([name, made]) => (name === variant ? volumesIn(made) : []));
  const allVolumes = (): Volume[] => [...disks.values()].flatMap(volumesIn);
  const remove = async (): Promise<void> => {
    await Promise.all([...clusters.values()].map((cluster) => cluster.stop()));
    await runFolder.remove();
  };
  const facts = {
    description: `PostgreSQL ${versionsOf(binaries)} on this machine, ${volumes.kind === 'limited' ? 'on IOPS-limited volumes' : 'in plain folders'}`,
    caveats: [
      ...(volumes.caveat === null ? [] : [volumes.caveat]),
      ...standbyCaveats(experiment),
      ...poolerCaveats(experiment),
    ],
    removableCaveats: new Array<string>(),
    volumeChecks: new Array<VolumeCheck>(),
    volumesKind: volumes.kind,
  };
  try {
    if (volumes.kind === 'limited') requireRoom(experiment, runFolder.volumes);
    else requireRoomForData(experiment, runFolder.volumes);
    for (const [variant, definition] of Object.entries(experiment.variants)) {
      disks.set(variant, await makeVolumes(variant, definition, volumes, signal));
    }
    const checked = await checkVolumes(allVolumes(), signal);
    facts.volumeChecks.push(...checked.checks);
    facts.caveats.push(...checked.caveats);
    facts.removableCaveats.push(...checked.caveats);
    // One after another: on a small machine, several at once would slow initdb until it times out.
    for (const [variant, made] of disks) clusters.set(variant, await startVariant(variant, made, options));
  } catch (error) {
    // What was done on a volume that broke failed with words of its own.
    const broken = allVolumes().find(({ failed }) => failed.aborted)?.failed.reason as Error | undefined;
    // The caller, who made the folder, removes what this leaves, or reports it.
    await remove().catch(() => undefined);
    throw broken ?? error;
  }
  const variants = new Map(
    [...clusters].map(([variant, { target, serverLog, standbys }]): [string, LocalVariant] => [
      variant,
      { target, serverLog, standbys, volumes: volumesOf(variant) },
    ]),
  );
  return {
    kind: 'local',
    ...facts,
    targets: targetsOf(variants),
    activateOnly: (tested, until) => activateOnly(variants, tested, until),
    restart: async (server, until) => clusters.get(server)?.restart(until),
    ownProcesses: () => startedIn(runFolder.path),
    async close({ keep }) {
      if (!keep) {
        await remove();
        return null;
      }
      // Lift the limits of the last trial, which would slow the next user for no reason.
      await activateOnly(variants, [], new AbortController().signal);
      const servers = [...clusters].map(([variant, cluster]) => ({ ...cluster, volumes: volumesOf(variant) }));
      saveKeptPlace(runFolder.path, experiment, facts, servers);
      runFolder.keep();
      for (const cluster of clusters.values()) cluster.release();
      return keptMessage(clusters, binaries.clients, runFolder.path);
    },
  };
}

/** Starts the cluster of a variant on its volumes. */
async function startVariant(
  variant: string,
  { data, log, standbys: disks }: VariantVolumes,
  { experiment, clients, binaries, pooler: program, runFolder, user, signal }: LocalPlaceOptions,
): Promise<Cluster> {
  const standbys = [];
  for (const [name, volume] of disks) {
    standbys.push({ name, dataFolder: await ownFolder(volume, 'data', user, signal) });
  }
  const { engine, pooler } = experiment.variants[variant] ?? {};
  const server = binaries.servers.get(variant);
  if (!server) throw new Error(`no PostgreSQL was chosen for ${variant}`);
  const request = {
    variant,
    dataFolder: await ownFolder(data, 'data', user, signal),
    walFolder: log === null ? null : await ownFolder(log, 'wal', user, signal),
    folder: path.join(runFolder.servers, variant),
    parameters: { max_connections: clients + ownConnections, ...engine?.parameters },
    standbys,
    ...(pooler && isLocalPooler(pooler) && program && { pooler: { ...pooler, program, clients } }),
  };
  return startCluster(request, server, user, signal);
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
        'Standbys on one machine share CPUs with their primary and have no network between them. They stream WAL; block mirroring, as on a Multi-AZ instance, is not possible here.',
      ]
    : [];
}

/** What a pooler hides from the server; empty if no variant has one. */
function poolerCaveats({ variants }: Experiment): string[] {
  const names = Object.entries(variants).flatMap(([name, { pooler }]) => (pooler ? [name] : []));
  return names.length === 0
    ? []
    : [
        `The evidence about ${names.join(', ')} is partial: the server sees the sessions of PgBouncer’s pool, not the clients. A client’s wait for PgBouncer counts as time outside the server.`,
      ];
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
