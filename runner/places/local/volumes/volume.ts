import type { VolumeCheck, VolumesKind } from '../../place.ts';
import type { VolumeLimits } from '../schema.ts';

/** What a variant asks for in a volume. Without limits, the volume is as fast as the disk below it. */
export interface VolumeRequest extends VolumeLimits {
  /** Unique within a run; lower-case letters, digits and hyphens, such as `with-dlv-log`. */
  name: string;
  sizeGib: number;
}

/** The limits in bytes and I/O a second; undefined where there is none. */
export function limitsIn({ iops, throughputMibps }: VolumeLimits): { iops?: number; bytesPerSecond?: number } {
  return {
    ...(iops !== undefined && { iops }),
    ...(throughputMibps !== undefined && { bytesPerSecond: throughputMibps * 1_048_576 }),
  };
}

/** A separately mounted folder. It is made without limits, which hold from the first `limit(true)`. */
export interface Volume {
  request: VolumeRequest;
  /**
   * Path of an empty folder that only we may write to. Otherwise the servers' user, who gets folders below it, could
   * redirect us with a symbolic link.
   */
  path: string;
  /** Turns the limits on (trials) or off (loading) while the volume is in use. Does nothing if there is no limit. */
  limit(on: boolean): Promise<void>;
  /**
   * A short test with direct writes and the limit on, at queue depths 1 and 16. Restores the limit that was set before.
   *
   * @returns null if nothing is limited
   * @throws if the test fails to run, or the signal aborts; the limit then stays as it is
   */
  verify(signal: AbortSignal): Promise<VolumeCheck | null>;
  /** Aborts with the reason when the volume breaks under its server. Every I/O on it fails from then on. */
  failed: AbortSignal;
  /** Socket through which the limits of a kept volume can be changed later; null if nothing is limited. */
  qmpSocket: string | null;
}

/** Makes the volumes of one run inside the run's folder, and removes them again. */
export interface Volumes {
  kind: VolumesKind;
  /** What such volumes cannot show, as a sentence for plan, terminal and report; null if there is nothing to say. */
  caveat: string | null;
  create(request: VolumeRequest, signal: AbortSignal): Promise<Volume>;
  /**
   * Unmounts, detaches and ends everything that `create` made. It may be called again. The servers on the volumes must
   * be stopped.
   */
  remove(): Promise<void>;
}
