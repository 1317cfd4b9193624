import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Variant } from '../../contract/experiment/variant.ts';
import { isLocal } from './schema.ts';
import type { ServerUser } from './server-user.ts';
import { standbyNames } from './standbys.ts';
import { unlessHung } from './volumes/unless-hung.ts';
import type { Volume, Volumes } from './volumes/volume.ts';

export interface VariantVolumes {
  data: Volume;
  /** null if WAL is with the data. */
  log: Volume | null;
  /** One for each standby, by its name, for data and WAL. */
  standbys: ReadonlyMap<string, Volume>;
}

/** Makes the volume of the data, that of the log if the variant has one, and one for each standby. */
export async function makeVolumes(
  variant: string,
  definition: Variant,
  volumes: Volumes,
  signal: AbortSignal,
): Promise<VariantVolumes> {
  const { storage } = definition;
  if (!isLocal(storage)) throw new Error(`variants.${variant} is elsewhere`);
  const { sizeGib, iops, throughputMibps } = storage;
  const make = (name: string, limits: { iops?: number | undefined; throughputMibps?: number | undefined }) =>
    volumes.create({ name: `${variant}-${name}`, sizeGib, ...limits }, signal);
  const data = await make('data', { iops, throughputMibps });
  const log = definition.dedicatedLogVolume
    ? await make('log', { iops: storage.logVolumeIops, throughputMibps: storage.logVolumeThroughputMibps })
    : null;
  const standbys = new Map<string, Volume>();
  for (const name of standbyNames(storage.standbys ?? 0)) {
    standbys.set(
      name,
      await make(name, { iops: storage.standbyIops, throughputMibps: storage.standbyThroughputMibps }),
    );
  }
  return { data, log, standbys };
}

/** All volumes of a variant. */
export function volumesIn({ data, log, standbys }: VariantVolumes): Volume[] {
  return [data, ...(log === null ? [] : [log]), ...standbys.values()];
}

/** A folder below a volume's root. The root itself may hold lost+found of its file system. */
export async function ownFolder(volume: Volume, name: string, user: ServerUser, signal: AbortSignal): Promise<string> {
  const folder = path.join(volume.path, name);
  await unlessHung(mkdir(folder, { mode: 0o700 }), signal);
  await unlessHung(chown(folder, user.uid, user.gid), signal);
  return folder;
}
