import path from 'node:path';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Place } from '../place.ts';
import { makeVolumes, ownFolder, type VariantVolumes, volumesIn } from './variant-volumes.ts';
import { localVolumes } from './schema.ts';
import type { VolumeCheck } from '../place.ts';
import type { Volumes } from './volumes/volume.ts';
import { checkVolumes } from './check-volumes.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { saveKeptPlace, type ServerProcesses } from './kept-place.ts';
import { type LocalVariant, putUnderTest, targetsOf } from './local-variant.ts';
import { demandRoom, demandRoomForData } from './room.ts';
import type { ChosenBinaries } from './choose-binaries.ts';
import type { PostgresBinaries } from './installations.ts';
import type { RunFolder } from './run-folder.ts';
import type { ServerUser } from './server-user.ts';

/** Connections for resetting and observing, and for anybody who looks at a server by hand. */
const ownConnections = 20;

/**
 * Makes private clusters for all variants on this machine. Each is on volumes of its own inside the run's folder.
 *
 * @throws {UserError} if the experiment is not possible on one machine; everything that was made so far is removed again
 */
export async function openLocalPlace(options: {
  experiment: Experiment;
  /** Most clients that a server gets at the same time. */
  clients: number;
  binaries: ChosenBinaries;
  runFolder: RunFolder;
  volumes: Volumes;
  user: ServerUser;
  say: (line: string) => void;
  signal: AbortSignal;
}): Promise<Place> {
  const { experiment, clients, binaries, runFolder, volumes, user, say, signal } = options;
  const disks = new Map<string, VariantVolumes>();
  const clusters = new Map<string, Cluster>();
  const variants = new Map<string, LocalVariant & ServerProcesses>();

  async function close({ keep }: { keep: boolean }): Promise<string | null> {
    if (keep && clusters.size > 0) {
      // With the limits of a trial, the next user would wait for no reason.
      await putUnderTest(variants, [], new AbortController().signal);
      saveKeptPlace(runFolder.path, experiment, facts, variants);
      runFolder.keep();
      for (const cluster of clusters.values()) cluster.release();
      return keptMessage(clusters, binaries.clients, runFolder.path);
    }
    await Promise.all([...clusters.values()].map((cluster) => cluster.stop()));
    // A process that is left, such as one that was stopped, would keep its volume, and could not be found without it.
    await runFolder.endProcesses();
    await volumes.remove();
    await runFolder.remove();
    return null;
  }

  const facts = {
    description: `PostgreSQL ${versionsOf(binaries)} on this machine, ${volumes.kind === 'limited' ? 'on volumes of limited IOPS' : 'in plain folders'}`,
    caveats: [...(volumes.caveat === null ? [] : [volumes.caveat]), ...standbyCaveats(experiment)],
    volumeChecks: new Array<VolumeCheck>(),
    volumesKind: volumes.kind,
  };
  try {
    if (volumes.kind === 'limited') demandRoom(experiment, runFolder.volumes);
    else demandRoomForData(experiment, runFolder.volumes);
    for (const [variant, definition] of Object.entries(experiment.variants)) {
      disks.set(variant, await makeVolumes(variant, definition, volumes, signal));
    }
    if (volumes.kind === 'limited') say('Measuring whether the volumes keep to their limits ...');
    const checked = await checkVolumes([...disks.values()].flatMap(volumesIn), signal);
    facts.volumeChecks.push(...checked.checks);
    facts.caveats.push(...checked.caveats);
    // One after another: on a small machine, several at the same time would slow initdb until it times out.
    for (const [variant, made] of disks) {
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
      clusters.set(variant, cluster);
      variants.set(variant, {
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
  } catch (error) {
    // Whoever made the folder removes what this leaves, or says what it is.
    await close({ keep: false }).catch(() => undefined);
    throw error;
  }

  return {
    kind: 'local',
    ...facts,
    targets: targetsOf(variants),
    putUnderTest: (tested, testSignal) => putUnderTest(variants, tested, testSignal),
    async restart(server, restartSignal) {
      await clusters.get(server)?.restart(restartSignal);
    },
    close,
  };
}

/** Each version once, in the order of the variants. */
function versionsOf({ servers }: ChosenBinaries): string {
  return [...new Set([...servers.values()].map(({ version }) => version))].join(' and ');
}

/** What standbys here cannot show; empty if no variant has any. */
function standbyCaveats({ variants }: Experiment): string[] {
  const any = Object.values(variants).some((variant) => localVolumes(variant).standbys !== null);
  return any
    ? [
        'Standbys on one machine: they and their primary share its processors without a network between them, and they stream WAL; a mirror of blocks, as a Multi-AZ instance has, cannot be made here.',
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
    `Remove all of it (${folder}) with: npx pgduet clean`,
  ].join('\n');
}
