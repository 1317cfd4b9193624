import type { VolumeRequest } from './volume.ts';

/** The part of QEMU's ThrottleLimits that we use; 0 means no limit. */
export interface ThrottleLimits {
  'iops-total': number;
  /** Bytes per second. */
  'bps-total': number;
  /** An I/O of more bytes than this counts as several. Only allowed together with a limit of IOPS. */
  'iops-size': number;
}

/** Amazon EBS counts I/O of SSD volumes in units of up to 256 KiB (EBS user guide, "I/O characteristics"). */
const countedBytes = 262_144;

export const noLimits: ThrottleLimits = { 'iops-total': 0, 'bps-total': 0, 'iops-size': 0 };

/** The limits with every key: QEMU does not change what is left out. */
export function throttleLimits({ iops, throughputMibps }: VolumeRequest): ThrottleLimits {
  return {
    'iops-total': iops ?? 0,
    'bps-total': Math.round((throughputMibps ?? 0) * 1_048_576),
    'iops-size': iops === undefined ? 0 : countedBytes,
  };
}

export function isLimited({ iops, throughputMibps }: VolumeRequest): boolean {
  return iops !== undefined || throughputMibps !== undefined;
}
