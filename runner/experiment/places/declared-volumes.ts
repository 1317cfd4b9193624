import type { Variant } from '../../contract/experiment/variant.ts';

/** The volumes of a variant as it declares them, in the same form at every place. Absent IOPS have no limit. */
export interface DeclaredVolumes {
  /** Type of the volumes in the words of AWS; null on the disk of this machine. */
  type: string | null;
  sizeGib: number;
  iops?: number | undefined;
  /** The volume of the WAL alone; null if it shares that of the data. */
  log: { iops?: number | undefined } | null;
  /** Standbys that are declared with the storage, without those that a deployment has by itself; null for none. */
  standbys: { count: number; iops?: number | undefined } | null;
}

export function declaredVolumes({
  storage,
  dedicatedLogVolume,
}: Pick<Variant, 'storage' | 'dedicatedLogVolume'>): DeclaredVolumes {
  const { type, sizeGib, iops } = storage;
  if (type !== 'local') return { type, sizeGib, iops, log: dedicatedLogVolume ? {} : null, standbys: null };
  const { logVolumeIops, standbys = 0, standbyIops } = storage;
  return {
    type: null,
    sizeGib,
    iops,
    log: dedicatedLogVolume ? { iops: logVolumeIops } : null,
    standbys: standbys > 0 ? { count: standbys, iops: standbyIops } : null,
  };
}
