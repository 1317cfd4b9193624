import type { VolumeRequest } from './volume.ts';

/** QEMU's ThrottleLimits, as far as we use them; 0 is no limit. */
export interface ThrottleLimits {
  'iops-total': number;
  /** Bytes per second. */
  'bps-total': number;
  /** An I/O larger than this many bytes counts as several; only allowed beside an IOPS limit. */
  'iops-size': number;
}

/** Amazon EBS counts SSD volumes' I/O in units of up to 256 KiB (EBS user guide, "I/O characteristics"). */
const countedBytes = 262_144;

export const noLimits: ThrottleLimits = { 'iops-total': 0, 'bps-total': 0, 'iops-size': 0 };

/** Every key is always given: QEMU leaves what a change does not name as it was. */
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
