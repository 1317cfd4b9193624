import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { UserError } from '../../contract/errors.ts';
import type { Place } from '../place.ts';
import { unlessHung } from './volumes/unless-hung.ts';
import type { Volume, VolumeCheck, Volumes } from './volumes/volume.ts';
import { mostClients } from '../../experiment/plan/levels.ts';
import { checkVolumes } from './check-volumes.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { saveKeptPlace } from './kept-place.ts';
import { type LocalVariant, putUnderTest, targetsOf } from './local-variant.ts';
import { demandRoom } from './room.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { RunFolder } from './run-folder.ts';
import type { ServerUser } from './server-user.ts';

/** Connections for resetting and observing, and for anybody who looks at a server by hand. */
const ownConnections = 20;

type DataAndLog = readonly [data: Volume] | readonly [data: Volume, log: Volume];

/**
 * Makes private clusters for all variants on this machine. Each is on volumes of its own inside the run's folder.
 *
 * @throws {UserError} if the experiment is not possible on one machine; everything that was made so far is removed again
 */
export async function openLocalPlace(options: {
  experiment: Experiment;
  binaries: PostgresBinaries;
  runFolder: RunFolder;
  volumes: Volumes;
  user: ServerUser;
  say: (line: string) => void;
  signal: AbortSignal;
}): Promise<Place> {
  const { experiment, binaries, runFolder, volumes, user, say, signal } = options;
  const disks = new Map<string, DataAndLog>();
  const clusters = new Map<string, Cluster>();
  const variants = new Map<string, LocalVariant & { serverPid: number }>();

  async function close({ keep }: { keep: boolean }): Promise<string | null> {
    if (keep && clusters.size > 0) {
      // With the limits of a trial, the next user would wait for no reason.
      await putUnderTest(variants, [], new AbortController().signal);
      saveKeptPlace(runFolder.path, experiment, facts, variants);
      runFolder.keep();
      for (const cluster of clusters.values()) cluster.release();
      return keptMessage(clusters, binaries, runFolder.path);
    }
    await Promise.all([...clusters.values()].map((cluster) => cluster.stop()));
    // A process that is left, such as one that was stopped, would keep its volume, and could not be found without it.
    await runFolder.endProcesses();
    await volumes.remove();
    await runFolder.remove();
    return null;
  }

  const facts = {
    description: `PostgreSQL ${binaries.version} on this machine, ${volumes.kind === 'limited' ? 'on volumes of limited IOPS' : 'in plain folders'}`,
    caveats: volumes.caveat === null ? [] : [volumes.caveat],
    volumeChecks: new Array<VolumeCheck>(),
  };
  try {
    if (volumes.kind === 'limited') demandRoom(experiment, runFolder.volumes);
    for (const [variant, definition] of Object.entries(experiment.variants)) {
      disks.set(variant, await makeVolumes(variant, definition, volumes, signal));
    }
    if (volumes.kind === 'limited') say('Measuring whether the volumes keep to their limits ...');
    const checked = await checkVolumes(
      [...disks.values()].flatMap((made) => [...made]),
      signal,
    );
    facts.volumeChecks.push(...checked.checks);
    facts.caveats.push(...checked.caveats);
    // One after another: on a small machine, several at the same time would slow initdb until it times out.
    for (const [variant, made] of disks) {
      const [data, log = null] = made;
      const parameters = experiment.variants[variant]?.engine.parameters;
      const cluster = await startCluster(
        {
          variant,
          dataFolder: await ownFolder(data, 'data', user, signal),
          walFolder: log === null ? null : await ownFolder(log, 'wal', user, signal),
          folder: path.join(runFolder.servers, variant),
          parameters: { max_connections: mostClients(experiment) + ownConnections, ...parameters },
        },
        binaries,
        user,
        signal,
      );
      clusters.set(variant, cluster);
      variants.set(variant, {
        target: cluster.target,
        serverLog: cluster.serverLog,
        serverPid: cluster.pid,
        volumes: made,
      });
    }
  } catch (error) {
    await close({ keep: false });
    throw error;
  }

  return {
    kind: 'local',
    ...facts,
    targets: targetsOf(variants),
    putUnderTest: (tested, testSignal) => putUnderTest(variants, tested, testSignal),
    close,
  };
}

/** Makes the volume of the data, and that of the log if the variant has one. */
async function makeVolumes(
  variant: string,
  { storage, dedicatedLogVolume }: Variant,
  volumes: Volumes,
  signal: AbortSignal,
): Promise<DataAndLog> {
  if (storage.type !== 'local') {
    throw new UserError(
      `variants.${variant}.storage.type: "${storage.type}" cannot be had on this machine. Run with a profile whose storage is of type local (--profile NAME).`,
    );
  }
  const data = await volumes.create(
    {
      name: `${variant}-data`,
      sizeGib: storage.sizeGib,
      iops: storage.iops,
      throughputMibps: storage.throughputMibps,
    },
    signal,
  );
  if (!dedicatedLogVolume) return [data];
  const log = await volumes.create(
    {
      name: `${variant}-log`,
      sizeGib: storage.sizeGib,
      iops: storage.logVolumeIops,
      throughputMibps: storage.logVolumeThroughputMibps,
    },
    signal,
  );
  return [data, log];
}

/** A folder below a volume's root. The root itself may hold lost+found of its file system. */
async function ownFolder(volume: Volume, name: string, user: ServerUser, signal: AbortSignal): Promise<string> {
  const folder = path.join(volume.path, name);
  await unlessHung(mkdir(folder, { mode: 0o700 }), signal);
  await unlessHung(chown(folder, user.uid, user.gid), signal);
  return folder;
}

function keptMessage(clusters: Map<string, Cluster>, binaries: PostgresBinaries, folder: string): string {
  const lines = [...clusters.values()].map(
    ({ target }) =>
      `  ${target.server}: PGPASSFILE=${target.environment['PGPASSFILE'] ?? ''} ${path.join(binaries.folder, 'psql')} -h ${target.host} -p ${target.port} -U ${target.user} ${target.database}`,
  );
  return [
    'The servers keep running. Connect with:',
    ...lines,
    `Remove all of it (${folder}) with: npx pgduet clean`,
  ].join('\n');
}
