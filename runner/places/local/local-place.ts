import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Experiment } from '../../experiment/schema.ts';
import type { Variant } from '../../experiment/schema-variant.ts';
import { UserError } from '../../experiment/user-error.ts';
import { withConnection } from '../connect.ts';
import type { Place, PlacedTarget } from '../place.ts';
import type { Volume, VolumeCheck, Volumes } from '../volumes/volume.ts';
import { checkVolumes } from './check-volumes.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { RunFolder } from './run-folder.ts';
import type { ServerUser } from './server-user.ts';

interface VariantVolumes {
  data: Volume;
  log: Volume | null;
}

/**
 * Private clusters for all variants on this machine, each on its own volumes inside the run's folder.
 *
 * @throws {UserError} where the experiment cannot be had on one machine; whatever was made by then is gone again.
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
  const clusters = new Map<string, Cluster>();
  const disks = new Map<string, VariantVolumes>();

  async function close({ keep }: { keep: boolean }): Promise<string | null> {
    if (keep && clusters.size > 0) {
      runFolder.keep();
      for (const cluster of clusters.values()) cluster.release();
      return keptMessage(clusters, binaries, runFolder.path);
    }
    await Promise.all([...clusters.values()].map((cluster) => cluster.stop()));
    await volumes.remove();
    await runFolder.remove();
    return null;
  }

  const caveats = volumes.caveat === null ? [] : [volumes.caveat];
  let checks: VolumeCheck[];
  try {
    for (const [variant, definition] of Object.entries(experiment.variants)) {
      disks.set(variant, await makeVolumes(variant, definition, volumes, signal));
    }
    if (volumes.kind === 'limited') say('Measuring whether the volumes keep to their limits ...');
    const checked = await checkVolumes([...disks.values()].flatMap(parts), signal);
    checks = checked.checks;
    caveats.push(...checked.caveats);
    // One after another: side by side, the first initdb would be timed out by the others on a small machine.
    for (const [variant, made] of disks) {
      const parameters = experiment.variants[variant]?.engine.parameters;
      clusters.set(
        variant,
        await startCluster(
          {
            variant,
            dataFolder: ownFolder(made.data.path, 'data', user),
            walFolder: made.log === null ? null : ownFolder(made.log.path, 'wal', user),
            folder: path.join(runFolder.servers, variant),
            parameters: { max_connections: experiment.workload.clients + 20, ...parameters },
          },
          binaries,
          user,
          signal,
        ),
      );
    }
  } catch (error) {
    await close({ keep: false });
    throw error;
  }

  return {
    kind: 'local',
    description: `PostgreSQL ${binaries.version} on this machine, ${volumes.kind === 'limited' ? 'on volumes of limited IOPS' : 'in plain folders'}`,
    caveats,
    volumeChecks: checks,
    targets: new Map([...clusters].map(([variant, { target }]) => [variant, onVolumes(target, disks.get(variant))])),
    async putUnderTest(variants, testSignal) {
      for (const [variant, made] of disks) {
        for (const volume of parts(made)) await volume.limit(variants.includes(variant));
      }
      if (variants.length === 0) return;
      // What an earlier trial left unwritten in another cluster would be written in the middle of this one.
      for (const [variant, { target }] of clusters) {
        if (variants.includes(variant)) continue;
        await withConnection(target, (client) => client.query('CHECKPOINT'), testSignal);
      }
    },
    close,
  };
}

function parts({ data, log }: VariantVolumes): Volume[] {
  return log === null ? [data] : [data, log];
}

/** A volume that breaks says why; the server on it ends a moment later, with nothing but an I/O error to tell. */
function onVolumes(target: PlacedTarget, made: VariantVolumes | undefined): PlacedTarget {
  const failures = made === undefined ? [] : parts(made).map((volume) => volume.failed);
  return { ...target, failed: AbortSignal.any([...failures, target.failed]) };
}

async function makeVolumes(
  variant: string,
  { storage, dedicatedLogVolume }: Variant,
  volumes: Volumes,
  signal: AbortSignal,
): Promise<VariantVolumes> {
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
  if (!dedicatedLogVolume) return { data, log: null };
  const log = await volumes.create(
    {
      name: `${variant}-log`,
      sizeGib: storage.sizeGib,
      iops: storage.logVolumeIops,
      throughputMibps: storage.logVolumeThroughputMibps,
    },
    signal,
  );
  return { data, log };
}

/** A folder below a volume's root, which may hold a file system's own lost+found. */
function ownFolder(volume: string, name: string, user: ServerUser): string {
  const folder = path.join(volume, name);
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, user.uid, user.gid);
  return folder;
}

function keptMessage(clusters: Map<string, Cluster>, binaries: PostgresBinaries, folder: string): string {
  const lines = [...clusters.values()].map(
    ({ target }) =>
      `  ${target.variant}: PGPASSFILE=${target.environment['PGPASSFILE'] ?? ''} ${path.join(binaries.folder, 'psql')} -h ${target.host} -p ${target.port} -U ${target.user} ${target.database}`,
  );
  return [
    `Kept, as asked (--keep). Connect with:`,
    ...lines,
    `Remove all of it (${folder}) with: npx pgduet clean`,
  ].join('\n');
}
